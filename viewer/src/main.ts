// The page: reads the data inside it and puts everything together.
import "./style.css";
import { Clock } from "./clock";
import { compare } from "./compare";
import { readReport, type Report } from "./data";
import { h, iconButton } from "./dom";
import { badge, health } from "./health";
import { keyboard } from "./keys";
import { ModesPage } from "./modes";
import { optionsPanel } from "./options";
import { panel } from "./panel";
import { Plots } from "./plots";
import { canRecord, savePicture, VideoRecorder } from "./save";
import type { Theme } from "./scene/stage";
import { tabs } from "./tabs";
import { timeline } from "./timeline";
import { View } from "./view";

function subtitle(report: Report): string {
  const about = new Map(report.about);
  const parts = [about.get("model") ?? report.model.name];
  if (about.has("method")) parts.push(about.get("method")!);
  if (about.has("integrator")) parts.push(about.get("integrator")!);
  if (about.has("step")) parts.push(`step ${about.get("step")} s`);
  return parts.join(" \u00b7 ");
}

function show(report: Report, app: HTMLElement): void {
  document.title = `${report.model.title} \u2013 Tandem`;
  const times = report.motion?.t ?? new Float64Array([0]);
  const clock = new Clock(times[0], times[times.length - 1], times);
  const view = new View(report, clock);

  let theme: Theme = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  let plots: Plots | undefined;
  let modes: ModesPage | undefined;
  const setTheme = (name: Theme): void => {
    theme = name;
    document.documentElement.dataset.theme = name;
    view.setTheme(name);
    plots?.redraw();
    modes?.redraw();
  };
  setTheme(theme);
  const flip = (): void => setTheme(theme === "dark" ? "light" : "dark");

  const pages: { name: string; content: HTMLElement; onShow?: () => void }[] = [];
  if (report.modes) {
    modes = new ModesPage(report, view, clock);
    pages.push({ name: "Modes", content: modes.element });
  }
  const side = tabs();
  if (report.motion && (report.motion.rows > 1 || report.ghosts.length > 0)) {
    plots = new Plots(report, clock);
    pages.push({ name: "Plots", content: plots.element, onShow: () => plots?.update() });
  }
  if (report.ghosts.length > 0) pages.push({ name: "Compare", content: compare(report, view) });
  const parts = panel(report, view, clock);
  pages.push({ name: "Parts", content: parts.element, onShow: parts.update });
  const verdictPage = report.verdict ? "Health" : "About";
  pages.push({ name: verdictPage, content: health(report) });
  for (const page of pages) side.add(page.name, page.content, page.onShow);

  const video = iconButton("video", "Record a video", () => recorder.toggle());
  const recorder = new VideoRecorder(view, clock, (on) => {
    video.setAttribute("aria-pressed", String(on));
    video.setAttribute("aria-label", on ? "Stop recording" : "Record a video");
  });
  const options = optionsPanel(view, flip);
  const help = keyboard(clock, view, { theme: flip, picture: () => savePicture(view), options: options.refresh });
  const header = h(
    "header",
    {},
    h("div", { class: "title" }, h("h1", {}, report.model.title), h("p", {}, subtitle(report))),
    h("div", { class: "tools" }),
  );
  const tools = header.querySelector(".tools")!;
  const sign = badge(report, () => side.show("Health"));
  if (sign) tools.append(sign);
  if (view.stage) {
    tools.append(iconButton("camera", "Save a picture", () => savePicture(view)));
    if (canRecord(view) && (clock.moves || report.modes)) tools.append(video);
  }
  tools.append(
    iconButton("theme", "Switch between light and dark", flip),
    iconButton("help", "Keyboard shortcuts", () => help.showModal()),
  );
  const main = h("main", {}, view.element);
  if (clock.moves || report.modes) main.append(timeline(clock));
  app.append(header, main, h("aside", { "aria-label": "Plots and numbers" }, side.element), help);
  for (const notice of report.notices) header.append(h("p", { class: "notice", role: "status" }, notice));

  view.onSelect((thing) => {
    if (thing) side.show("Parts");
  });
  clock.onChange(() => view.touch());
  new ResizeObserver(() => view.resize()).observe(view.element);
  new ResizeObserver(() => app.style.setProperty("--main-height", `${main.offsetHeight}px`)).observe(main);
  let last = performance.now();
  const tick = (now: number): void => {
    clock.advance(Math.min(0.1, Math.max(0, now - last) / 1000));
    last = now;
    view.frame();
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  // For tests and for the curious.
  Object.assign(window, { tandem: { report, clock, view, setTheme, show: side.show } });
}

const app = document.getElementById("app")!;
// The data never come after the script: both are in the page before it runs.
try {
  const report = readReport(document);
  if (report) show(report, app);
  else app.append(h("p", { class: "empty" }, "This page is empty: it is the template that Tandem fills with reports."));
} catch (error) {
  app.replaceChildren(h("p", { class: "empty", role: "alert" }, `This report cannot be shown: ${String(error)}`));
  throw error;
}
