// Small helpers for the document. Text is always set as text nodes, never parsed.

type Handler = (event: never) => void;
export type Props = Record<string, string | number | boolean | Handler | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value as unknown as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

const paths: Record<string, string> = {
  play: "M7 4.5v15l12.5-7.5z",
  pause: "M6.5 4.5h4v15h-4zM13.5 4.5h4v15h-4z",
  start: "M5 5h2.5v14H5zM19 5v14L9 12z",
  back: "M15.5 5v14L6.5 12zM17.5 5h2v14h-2z",
  forth: "M8.5 5v14l9-7zM4.5 5h2v14h-2z",
  loop: "M12 5V2l5 4.2-5 4.2V7.4a4.6 4.6 0 1 0 4.6 4.6H19a7 7 0 1 1-7-7z",
  camera: "M9 5l-1.5 2H4v12h16V7h-3.5L15 5zM12 9a4 4 0 1 1 0 8 4 4 0 0 1 0-8z",
  video: "M4 6h11v4l5-3v10l-5-3v4H4z",
  theme: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 5.2a6.8 6.8 0 0 1 0 13.6z",
  help: "M11 17h2.4v2.4H11zM12 4a5 5 0 0 0-5 5h2.4a2.6 2.6 0 1 1 4.4 1.9c-1.5 1.3-2.8 2-2.8 4.6h2.4c0-1.6.9-2.1 2-3.1A5 5 0 0 0 12 4z",
};

export function icon(name: string): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}

export function iconButton(name: string, label: string, onClick: () => void): HTMLButtonElement {
  return h("button", { type: "button", class: "icon", "aria-label": label, title: label, click: onClick }, icon(name));
}

// Of other motions beside the shown one: of their curves and their ghosts.
const ghostColors = ["#e4572e", "#7a5cc7", "#1d8f8a", "#c2883a", "#c2477f", "#5b8c2a"];
export const ghostColor = (i: number): string => ghostColors[i % ghostColors.length];

// Six digits, without a trail of zeros.
export function number(value: number, digits = 5): string {
  if (!Number.isFinite(value)) return "-";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e6) return value.toExponential(2);
  return String(Number(value.toPrecision(digits)));
}
