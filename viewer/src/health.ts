// The verdict of the record: a badge, and the figures behind it.
import type { Grade, Report } from "./data";
import { h } from "./dom";

const words: Record<Grade, string> = { good: "Healthy", look: "Worth a look", bad: "Not to be trusted" };
const marks: Record<Grade, string> = { good: "ok", look: "look", bad: "bad" };

export function badge(report: Report, onClick: () => void): HTMLElement | undefined {
  if (!report.verdict) return undefined;
  const { grade, sentence } = report.verdict;
  return h(
    "button",
    { type: "button", class: `badge ${grade}`, title: sentence, click: onClick },
    h("span", { class: "dot", "aria-hidden": "true" }),
    report.ghosts.length > 0 ? (grade === "good" ? "Methods agree" : "Methods differ") : words[grade],
  );
}

export function health(report: Report): HTMLElement {
  const page = h("div", { class: "health" });
  const { verdict } = report;
  if (verdict) {
    page.append(h("p", { class: `sentence ${verdict.grade}` }, verdict.sentence));
    const rows = verdict.figures.map((figure) =>
      h(
        "tr",
        { class: figure.grade },
        h("th", { scope: "row" }, figure.name),
        h("td", {}, figure.value),
        h("td", { class: "mark" }, marks[figure.grade]),
      ),
    );
    page.append(h("table", {}, h("tbody", {}, ...rows)));
  }
  for (const notice of report.notices) page.append(h("p", { class: "notice" }, notice));
  const about = report.about.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value)));
  if (about.length > 0)
    page.append(h("h3", {}, "How it was made"), h("table", { class: "about" }, h("tbody", {}, ...about)));
  page.append(h("p", { class: "hint" }, `Made by Tandem ${report.tandem}.`));
  return page;
}
