// The timeline: play, step, scrub, speed, a range to loop, a time to type.
import type { Clock } from "./clock";
import { h, icon, iconButton, number } from "./dom";

const speedText = (speed: number): string => String(Number(speed.toPrecision(3)));

export function timeline(clock: Clock): HTMLElement {
  const play = iconButton("play", "Play", () => clock.play());
  play.classList.add("primary");
  const loop = iconButton("loop", "Loop", () => clock.toggleLoop());
  const slider = h("input", { type: "range", class: "scrub", min: 0, max: 10000, step: 1, "aria-label": "Time" });
  const band = h("div", { class: "loop-band", "aria-hidden": "true" });
  const typed = (label: string, set: (value: number) => void): HTMLInputElement => {
    const input = h("input", { type: "text", inputmode: "decimal", class: "typed", "aria-label": label, size: 7 });
    const commit = (): void => {
      const value = Number(input.value.replace(",", "."));
      if (input.value.trim() !== "" && Number.isFinite(value)) set(value);
      else clock.changed();
    };
    input.addEventListener("change", commit);
    return input;
  };
  const time = typed("Time in seconds", (value) => clock.seek(value));
  const from = typed("Loop from, in seconds", (value) => clock.setLoop(value, clock.loop[1]));
  const to = typed("Loop to, in seconds", (value) => clock.setLoop(clock.loop[0], value));
  const end = h("span", { class: "end" });
  const speed = h("select", { "aria-label": "Speed" });
  speed.addEventListener("change", () => clock.setSpeed(Number(speed.value)));

  let scrubbing = false;
  slider.addEventListener("input", () => {
    scrubbing = true;
    clock.seek(clock.from + (Number(slider.value) / 10000) * (clock.to - clock.from));
    scrubbing = false;
  });

  let playing: boolean | undefined;
  let listed = "";
  const update = (): void => {
    const span = clock.to - clock.from || 1;
    if (!scrubbing) slider.value = String(Math.round(((clock.t - clock.from) / span) * 10000));
    const decimals = Math.min(12, Math.max(3, 3 - Math.floor(Math.log10(span))));
    slider.setAttribute("aria-valuetext", `${clock.t.toFixed(decimals)} seconds`);
    if (document.activeElement !== time) time.value = clock.t.toFixed(decimals);
    if (document.activeElement !== from) from.value = number(clock.loop[0]);
    if (document.activeElement !== to) to.value = number(clock.loop[1]);
    end.textContent = `/ ${number(clock.to)} s`;
    const speeds = [...new Set([...clock.speeds, clock.speed])].sort((a, b) => a - b);
    if (speeds.join() !== listed) {
      listed = speeds.join();
      speed.replaceChildren(...speeds.map((each) => h("option", { value: each }, `${speedText(each)}\u00d7`)));
    }
    speed.value = String(clock.speed);
    bar.classList.toggle("looping", clock.looping);
    loop.setAttribute("aria-pressed", String(clock.looping));
    band.hidden = !clock.looping;
    band.style.left = `${(100 * (clock.loop[0] - clock.from)) / span}%`;
    band.style.width = `${(100 * (clock.loop[1] - clock.loop[0])) / span}%`;
    if (playing !== clock.playing) {
      playing = clock.playing;
      play.replaceChildren(icon(playing ? "pause" : "play"));
      play.setAttribute("aria-label", playing ? "Pause" : "Play");
      play.title = `${playing ? "Pause" : "Play"} (space)`;
    }
  };
  const bar = h(
    "section",
    { class: "timeline", "aria-label": "Timeline" },
    h(
      "div",
      { class: "buttons" },
      iconButton("start", "Go to the start", () => clock.seek(clock.from)),
      iconButton("back", "Back one sample", () => clock.step(-1)),
      play,
      iconButton("forth", "Forward one sample", () => clock.step(1)),
      loop,
    ),
    h("div", { class: "track" }, slider, band),
    h("div", { class: "times" }, time, end, speed),
    h("div", { class: "range" }, h("span", {}, "Loop"), from, h("span", {}, "to"), to, h("span", {}, "s")),
  );
  clock.onChange(update);
  update();
  return bar;
}
