// Other methods beside the shown motion: which, and by how much their differences are magnified.
import type { Report } from "./data";
import { h } from "./dom";
import type { View } from "./view";

function largestDifference(report: Report): number {
  let most = 0;
  for (const { columns } of report.ghosts) for (const value of columns[0].values) most = Math.max(most, value);
  return most;
}

// What the program says of every method, by the heading of its column.
function numbersOf(report: Report): Map<string, Map<string, string>> {
  const table = report.verdict?.tables.find(({ title }) => title === "Methods");
  return new Map(
    table?.rows.map((row) => [`${row[0]}, cut ${row[1]}`, new Map(row.map((text, i) => [table.heading[i], text]))]),
  );
}

export function compare(report: Report, view: View): HTMLElement {
  const largest = largestDifference(report);
  const wanted = (0.25 * view.framing.size) / Math.max(largest, 1e-30);
  const fitting = wanted > 2 ? 10 ** Math.min(15, Math.floor(Math.log10(wanted))) : 1;
  const factor = h("select", { "aria-label": "Magnification of differences" });
  for (let exponent = 0; exponent <= 15; ++exponent)
    factor.append(h("option", { value: 10 ** exponent }, exponent === 0 ? "1 (as they are)" : `1e${exponent}`));
  const set = (value: number): void => {
    factor.value = String(value);
    for (const ghost of view.ghosts) ghost.source.factor = value;
    view.apply();
  };
  factor.addEventListener("change", () => set(Number(factor.value)));
  const numbers = numbersOf(report);
  const items = view.ghosts.map((ghost) => {
    const box = h("input", { type: "checkbox" });
    box.checked = ghost.on;
    box.addEventListener("change", () => {
      ghost.on = box.checked;
      view.apply();
    });
    const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.background = ghost.color;
    const text = (name: string): string => numbers.get(ghost.name)?.get(name) ?? "";
    return h(
      "li",
      {},
      h("label", { class: "check" }, box, swatch, ghost.name),
      h("span", { class: "value" }, `pose ${text("pose")}, velocity ${text("velocity")}: ${text("")}`),
    );
  });
  set(fitting);
  return h(
    "div",
    { class: "compare" },
    h(
      "p",
      {},
      `In full colour: ${report.motion?.name ?? ""}. The other methods are ghosts. The numbers are the largest differences from lagrange on the same cut: poses in parts of the mechanism's length or in radians, velocities relative.`,
    ),
    h("ul", {}, ...items),
    h("label", { class: "check" }, "Differences \u00d7 ", factor),
  );
}
