// The timeline: play, step, scrub, speed, a range to loop, a time to type.
import type { Clock } from "./clock";
import { h, icon, iconButton, number } from "./dom";

const speeds = [0.1, 0.2, 0.5, 1, 2, 5, 10];

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
  for (const each of speeds) speed.append(h("option", { value: each }, `${each}\u00d7`));
  speed.addEventListener("change", () => clock.setSpeed(Number(speed.value)));

  let scrubbing = false;
  slider.addEventListener("input", () => {
    scrubbing = true;
    clock.seek(clock.from + (Number(slider.value) / 10000) * (clock.to - clock.from));
    scrubbing = false;
  });

  let playing: boolean | undefined;
  const update = (): void => {
    const span = clock.to - clock.from || 1;
    if (!scrubbing) slider.value = String(Math.round(((clock.t - clock.from) / span) * 10000));
    slider.setAttribute("aria-valuetext", `${clock.t.toFixed(3)} seconds`);
    if (document.activeElement !== time) time.value = clock.t.toFixed(3);
    if (document.activeElement !== from) from.value = number(clock.loop[0]);
    if (document.activeElement !== to) to.value = number(clock.loop[1]);
    end.textContent = `/ ${number(clock.to)} s`;
    const nearest = speeds.reduce((a, b) => (Math.abs(b - clock.speed) < Math.abs(a - clock.speed) ? b : a));
    speed.value = String(nearest);
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
  clock.onChange(update);
  const bar = h(
    "section",
    { class: "timeline", "aria-label": "Timeline" },
    h(
      "div",
      { class: "buttons" },
      iconButton("start", "To the start", () => clock.seek(clock.from)),
      iconButton("back", "A step back", () => clock.step(-1)),
      play,
      iconButton("forth", "A step forth", () => clock.step(1)),
      loop,
    ),
    h("div", { class: "track" }, slider, band),
    h("div", { class: "times" }, time, end, speed),
    h("div", { class: "range" }, h("span", {}, "Loop"), from, h("span", {}, "to"), to, h("span", {}, "s")),
  );
  update();
  return bar;
}
