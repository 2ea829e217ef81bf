// Tabs, as assistive tools know them. A page that was hidden is told when it is shown: hidden ones do not follow the time.
import { h } from "./dom";

export function tabs(): {
  element: HTMLElement;
  add(name: string, content: HTMLElement, onShow?: () => void): void;
  show(name: string): void;
} {
  const list = h("div", { role: "tablist", class: "tabs", "aria-label": "Pages" });
  const body = h("div", { class: "tab-pages" });
  const pages: { name: string; tab: HTMLButtonElement; page: HTMLElement; onShow?: () => void }[] = [];
  const show = (name: string): void => {
    for (const each of pages) {
      const on = each.name === name;
      each.tab.setAttribute("aria-selected", String(on));
      each.tab.tabIndex = on ? 0 : -1;
      const opened = on && each.page.hidden;
      each.page.hidden = !on;
      if (opened) each.onShow?.();
    }
  };
  const add = (name: string, content: HTMLElement, onShow?: () => void): void => {
    const id = `page-${name.toLowerCase()}`;
    const tab = h(
      "button",
      { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": id, click: () => show(name) },
      name,
    );
    const page = h("div", { role: "tabpanel", id, "aria-labelledby": `tab-${id}`, tabindex: 0 }, content);
    page.hidden = true;
    pages.push({ name, tab, page, onShow });
    list.append(tab);
    body.append(page);
    show(pages[0].name);
  };
  list.addEventListener("keydown", (event) => {
    const at = pages.findIndex((each) => each.tab === document.activeElement);
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (at < 0 || by === 0) return;
    const next = pages[(at + by + pages.length) % pages.length];
    show(next.name);
    next.tab.focus();
    event.preventDefault();
  });
  return { element: h("div", { class: "side" }, list, body), add, show };
}
