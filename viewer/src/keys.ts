// The keyboard map. Keys are left alone where one types.
import type { Clock } from "./clock";
import { h } from "./dom";
import type { View } from "./view";

interface Key {
  keys: string[];
  shown: string;
  what: string;
  act(event: KeyboardEvent): void;
}

export function keyboard(
  clock: Clock,
  view: View,
  actions: Record<"theme" | "picture" | "options", () => void>,
): HTMLDialogElement {
  const toggle = (name: keyof View["options"]) => () => {
    view.options[name] = !view.options[name];
    view.apply();
    actions.options();
  };
  const selectNext = (by: number): void => {
    const bodies = view.report.model.bodies.length;
    if (bodies === 0) return;
    const at = view.selected?.kind === "body" ? view.selected.index : by > 0 ? -1 : 0;
    view.select({ kind: "body", index: (at + by + bodies) % bodies });
  };
  const map: Key[] = [
    { keys: [" "], shown: "space", what: "play, pause", act: () => clock.play() },
    {
      keys: ["ArrowLeft"],
      shown: "left",
      what: "a step back; with shift ten",
      act: (event) => clock.step(event.shiftKey ? -10 : -1),
    },
    {
      keys: ["ArrowRight"],
      shown: "right",
      what: "a step forth; with shift ten",
      act: (event) => clock.step(event.shiftKey ? 10 : 1),
    },
    { keys: ["Home"], shown: "home", what: "to the start", act: () => clock.seek(clock.from) },
    { keys: ["End"], shown: "end", what: "to the end", act: () => clock.seek(clock.to) },
    { keys: [","], shown: ",", what: "slower", act: () => clock.stepSpeed(-1) },
    { keys: ["."], shown: ".", what: "faster", act: () => clock.stepSpeed(1) },
    { keys: ["l"], shown: "l", what: "loop", act: () => clock.toggleLoop() },
    {
      keys: ["["],
      shown: "[",
      what: "the loop begins now",
      act: () => clock.setLoop(clock.t, Math.max(clock.t, clock.loop[1])),
    },
    {
      keys: ["]"],
      shown: "]",
      what: "the loop ends now",
      act: () => clock.setLoop(Math.min(clock.t, clock.loop[0]), clock.t),
    },
    { keys: ["n"], shown: "n", what: "the next body", act: () => selectNext(1) },
    { keys: ["p"], shown: "p", what: "the body before", act: () => selectNext(-1) },
    { keys: ["Escape"], shown: "escape", what: "nothing chosen", act: () => view.select(undefined) },
    { keys: ["f"], shown: "f", what: "follow", act: toggle("follow") },
    { keys: ["t"], shown: "t", what: "trails", act: toggle("trails") },
    { keys: ["b"], shown: "b", what: "names", act: toggle("labels") },
    { keys: ["r"], shown: "r", what: "reactions", act: toggle("reactions") },
    { keys: ["0"], shown: "0", what: "the camera as it was", act: () => view.resetCamera() },
    { keys: ["d"], shown: "d", what: "light or dark", act: () => actions.theme() },
    { keys: ["s"], shown: "s", what: "save a picture", act: () => actions.picture() },
    { keys: ["?"], shown: "?", what: "this list", act: () => dialog.showModal() },
  ];
  const rows = map.map((key) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key.shown)), h("td", {}, key.what)));
  const dialog = h(
    "dialog",
    { class: "help", "aria-label": "Keyboard" },
    // First, so that the focus, which goes to it, does not scroll the list.
    h("form", { method: "dialog", class: "top" }, h("h2", {}, "Keyboard"), h("button", { type: "submit" }, "Close")),
    h("table", {}, h("tbody", {}, ...rows)),
    h(
      "p",
      { class: "hint" },
      "With the picture in focus the arrow keys turn it, plus and minus zoom. Drag to turn, right drag to shift, wheel to zoom.",
    ),
  );
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const typing = target.matches("input:not([type=checkbox], [type=range]), select, textarea");
    const pressing = event.key === " " && target.matches("button, a, summary, input[type=checkbox], [role=tab]");
    // The scrubber goes by rows, as the keys do; other sliders have their keys to themselves.
    const sliding = target.matches("input[type=range]:not(.scrub)") && /^(Arrow|Home|End|Page)/.test(event.key);
    if (typing || pressing || sliding || dialog.open || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.matches("[role=tab]") && event.key.startsWith("Arrow")) return;
    const key = map.find((each) => each.keys.includes(event.key));
    if (!key) return;
    key.act(event);
    event.preventDefault();
  });
  return dialog;
}
