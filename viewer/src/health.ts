// The verdict of the record: a badge with its word, the reasons, and the figures behind them.
import type { Report, Trust, Verdict } from "./data";
import { h } from "./dom";

const styles: Record<Trust, string> = { trusted: "good", look: "look", "not to be trusted": "bad" };

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// A word of trust, or what methods do.
const wordOf = ({ word, trust }: Verdict): string => (word === trust ? capital(word) : `Methods ${word}`);

export function badge(report: Report, onClick: () => void): HTMLElement | undefined {
  if (!report.verdict) return undefined;
  const { trust, sentence, reasons } = report.verdict;
  return h(
    "button",
    {
      type: "button",
      class: `badge ${styles[trust]}`,
      title: reasons.length > 0 ? reasons[0].text : sentence,
      click: onClick,
    },
    h("span", { class: "dot", "aria-hidden": "true" }),
    wordOf(report.verdict),
  );
}

const marks: Record<string, string> = { FAIL: "bad", differs: "bad", ok: "good", agrees: "good" };

// As the program prints it. It may be wider than the page, and is scrolled by itself.
function shownTable({ title, heading, rows }: Verdict["tables"][number]): HTMLElement[] {
  const cell = (text: string, i: number): HTMLElement =>
    i === 0 ? h("th", { scope: "row" }, text) : h("td", { class: marks[text] }, text);
  const head = heading.map((text) => (text ? h("th", { scope: "col" }, text) : h("td")));
  const prose = rows.some((row) => row[row.length - 1].length > 20);
  return [
    h("h3", {}, title),
    h(
      "div",
      { class: "wide-table", tabindex: 0, role: "region", "aria-label": title },
      h(
        "table",
        { class: prose ? "columns prose" : "columns" },
        h("thead", {}, h("tr", {}, ...head)),
        h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map(cell)))),
      ),
    ),
  ];
}

// Names of settings that are not plain as they stand in files.
const plain: Record<string, string> = {
  time_between_rows: "time between samples",
  max_step: "longest step",
  zero_momentum: "zero momentum",
};

export function health(report: Report): HTMLElement {
  const page = h("div", { class: "health" });
  const { verdict } = report;
  if (verdict) {
    page.append(h("p", { class: `sentence ${styles[verdict.trust]}` }, verdict.sentence));
    if (verdict.reasons.length > 0)
      page.append(
        h(
          "ul",
          { class: "reasons" },
          ...verdict.reasons.map(({ trust, text }) =>
            h("li", { class: styles[trust] }, h("b", {}, capital(trust)), `: ${text}`),
          ),
        ),
      );
    const rows = verdict.figures.map((figure) =>
      h(
        "tr",
        { class: styles[figure.trust] },
        h("th", { scope: "row" }, figure.name),
        h("td", {}, figure.value),
        h("td", { class: "mark" }, figure.trust === "trusted" ? "" : figure.trust),
      ),
    );
    if (rows.length > 0) page.append(h("table", {}, h("tbody", {}, ...rows)));
    page.append(...verdict.tables.flatMap(shownTable));
    for (const note of verdict.notes) page.append(h("p", { class: "hint" }, note));
  }
  for (const notice of report.notices) page.append(h("p", { class: "notice" }, notice));
  const about = report.about.map(([name, value]) =>
    h("tr", {}, h("th", { scope: "row" }, plain[name] ?? name), h("td", {}, value)),
  );
  if (about.length > 0)
    page.append(h("h3", {}, "How this was computed"), h("table", { class: "about" }, h("tbody", {}, ...about)));
  page.append(h("p", { class: "hint" }, `Made by Tandem ${report.tandem}.`));
  return page;
}
