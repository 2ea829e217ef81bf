// The keyboard map. Not where text is typed.
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
    { keys: [" "], shown: "space", what: "play or pause", act: () => clock.play() },
    {
      keys: ["ArrowLeft"],
      shown: "left",
      what: "back one sample; with shift, ten",
      act: (event) => clock.step(event.shiftKey ? -10 : -1),
    },
    {
      keys: ["ArrowRight"],
      shown: "right",
      what: "forward one sample; with shift, ten",
      act: (event) => clock.step(event.shiftKey ? 10 : 1),
    },
    { keys: ["Home"], shown: "home", what: "go to the start", act: () => clock.seek(clock.from) },
    { keys: ["End"], shown: "end", what: "go to the end", act: () => clock.seek(clock.to) },
    { keys: [","], shown: ",", what: "slower", act: () => clock.stepSpeed(-1) },
    { keys: ["."], shown: ".", what: "faster", act: () => clock.stepSpeed(1) },
    { keys: ["l"], shown: "l", what: "loop on or off", act: () => clock.toggleLoop() },
    {
      keys: ["["],
      shown: "[",
      what: "start the loop at this time",
      act: () => clock.setLoop(clock.t, Math.max(clock.t, clock.loop[1])),
    },
    {
      keys: ["]"],
      shown: "]",
      what: "end the loop at this time",
      act: () => clock.setLoop(Math.min(clock.t, clock.loop[0]), clock.t),
    },
    { keys: ["n"], shown: "n", what: "select the next body", act: () => selectNext(1) },
    { keys: ["p"], shown: "p", what: "select the previous body", act: () => selectNext(-1) },
    { keys: ["Escape"], shown: "escape", what: "clear the selection", act: () => view.select(undefined) },
    { keys: ["f"], shown: "f", what: "follow the mechanism", act: toggle("follow") },
    { keys: ["t"], shown: "t", what: "show or hide trails", act: toggle("trails") },
    { keys: ["b"], shown: "b", what: "show or hide names", act: toggle("labels") },
    { keys: ["r"], shown: "r", what: "show or hide reactions", act: toggle("reactions") },
    { keys: ["0"], shown: "0", what: "reset the camera", act: () => view.resetCamera() },
    { keys: ["d"], shown: "d", what: "switch between light and dark", act: () => actions.theme() },
    { keys: ["s"], shown: "s", what: "save a picture", act: () => actions.picture() },
    { keys: ["?"], shown: "?", what: "show this list", act: () => dialog.showModal() },
  ];
  const rows = map.map((key) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key.shown)), h("td", {}, key.what)));
  const dialog = h(
    "dialog",
    { class: "help", "aria-label": "Keyboard shortcuts" },
    // First, so that the focus, which goes to it, does not scroll the list.
    h(
      "form",
      { method: "dialog", class: "top" },
      h("h2", {}, "Keyboard shortcuts"),
      h("button", { type: "submit" }, "Close"),
    ),
    h("table", {}, h("tbody", {}, ...rows)),
    h(
      "p",
      { class: "hint" },
      "When the picture has the focus, the arrow keys rotate it and plus and minus zoom. Drag to rotate, right-drag to pan, scroll to zoom.",
    ),
  );
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const typing = target.matches("input:not([type=checkbox], [type=range]), select, textarea");
    const pressing = event.key === " " && target.matches("button, a, summary, input[type=checkbox], [role=tab]");
    // The scrubber goes by samples, as the keys do; other sliders have their keys to themselves.
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
