// Other motions beside the shown one: which, and how much their differences are magnified.
import type { Report } from "./data";
import { h } from "./dom";
import type { View } from "./view";

function largestDifference(report: Report): number {
  let most = 0;
  for (const { columns } of report.ghosts) for (const value of columns[0].values) most = Math.max(most, value);
  return most;
}

export function compare(report: Report, view: View): HTMLElement {
  const largest = largestDifference(report);
  const wanted = (0.25 * view.framing.size) / Math.max(largest, 1e-30);
  const fitting = wanted > 2 ? 10 ** Math.min(15, Math.floor(Math.log10(wanted))) : 1;
  const factor = h("select", { "aria-label": "Differences are shown times" });
  for (let exponent = 0; exponent <= 15; ++exponent)
    factor.append(h("option", { value: 10 ** exponent }, exponent === 0 ? "1 (as they are)" : `1e${exponent}`));
  const set = (value: number): void => {
    factor.value = String(value);
    for (const ghost of view.ghosts) ghost.source.factor = value;
    view.apply();
  };
  factor.addEventListener("change", () => set(Number(factor.value)));
  const items = view.ghosts.map((ghost) => {
    const box = h("input", { type: "checkbox" });
    box.checked = ghost.on;
    box.addEventListener("change", () => {
      ghost.on = box.checked;
      view.apply();
    });
    const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.background = ghost.color;
    const most = ghost.source.table.columns[0].values.reduce((a, b) => Math.max(a, b), 0);
    return h(
      "li",
      {},
      h("label", { class: "check" }, box, swatch, ghost.name),
      h("span", { class: "value" }, most.toExponential(1)),
    );
  });
  set(fitting);
  return h(
    "div",
    { class: "compare" },
    h(
      "p",
      {},
      `In full colour: ${report.motion?.name ?? ""}. The others are ghosts beside it; the numbers are their largest distance from it, in metres or radians.`,
    ),
    h("ul", {}, ...items),
    h("label", { class: "check" }, "Differences \u00d7", factor),
  );
}
