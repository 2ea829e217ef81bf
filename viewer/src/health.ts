// The verdict of the record: a badge with its word, the reasons, and the figures behind them.
import type { Report, Trust } from "./data";
import { h } from "./dom";

const styles: Record<Trust, string> = { trusted: "good", look: "look", "not to be trusted": "bad" };

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function badge(report: Report, onClick: () => void): HTMLElement | undefined {
  if (!report.verdict) return undefined;
  const { trust, sentence, reasons } = report.verdict;
  const agree = trust === "trusted" ? "Methods agree" : "Methods differ";
  return h(
    "button",
    {
      type: "button",
      class: `badge ${styles[trust]}`,
      title: reasons.length > 0 ? reasons[0].text : sentence,
      click: onClick,
    },
    h("span", { class: "dot", "aria-hidden": "true" }),
    report.ghosts.length > 0 ? agree : capital(trust),
  );
}

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
    const mark = (trust: Trust): string => {
      if (trust === "trusted") return "";
      return report.ghosts.length > 0 ? "differs" : trust;
    };
    const rows = verdict.figures.map((figure) =>
      h(
        "tr",
        { class: styles[figure.trust] },
        h("th", { scope: "row" }, figure.name),
        h("td", {}, figure.value),
        h("td", { class: "mark" }, mark(figure.trust)),
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
