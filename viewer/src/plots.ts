// Plots over time, tied to the clock: a line stands at the time that is shown, and a press on a plot goes there.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Clock } from "./clock";
import type { Report } from "./data";
import { h, number } from "./dom";
import { type Curve, type Preset, presetsOf, quantitiesOf } from "./presets";

const strokes = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7", "--c8"];
const css = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const smallest = 1e-18; // on a log axis, in place of zero; less where all is small

class Plot {
  readonly element: HTMLElement;
  private readonly holder = h("div", { class: "chart" });
  private readonly legend = h("ul", { class: "legend" });
  private readonly head = h("div", { class: "playhead" });
  private readonly log: HTMLInputElement;
  private readonly choice: HTMLSelectElement;
  private chart?: uPlot;
  private curves: Curve[] = [];
  private readouts: HTMLElement[] = [];

  constructor(
    private readonly presets: Preset[],
    report: Report,
    private readonly clock: Clock,
    index: number,
    first: number,
    onRemove: () => void,
  ) {
    this.choice = h("select", { "aria-label": `What plot ${index} shows` });
    presets.forEach((preset, i) => this.choice.append(h("option", { value: i }, preset.name)));
    this.choice.append(h("option", { value: -1 }, "Custom"));
    this.choice.addEventListener("change", () => this.show(Number(this.choice.value)));
    const more = h(
      "select",
      { "aria-label": `Add a quantity to plot ${index}`, class: "more" },
      h("option", { value: "" }, "Add\u2026"),
    );
    const all: Curve[] = [];
    for (const { group, columns } of quantitiesOf(report)) {
      const list = h("optgroup", { label: group });
      for (const { label, curve } of columns) {
        list.append(h("option", { value: all.length }, label));
        all.push(curve);
      }
      more.append(list);
    }
    more.addEventListener("change", () => {
      if (more.value !== "") this.set([...this.curves, all[Number(more.value)]], true);
      more.value = "";
    });
    this.log = h("input", { type: "checkbox" });
    this.log.addEventListener("change", () => this.draw());
    this.element = h(
      "section",
      { class: "plot", "aria-label": `Plot ${index}` },
      h(
        "div",
        { class: "plot-bar" },
        this.choice,
        more,
        h("label", { class: "check" }, this.log, "log"),
        h(
          "button",
          { type: "button", class: "small", "aria-label": `Remove plot ${index}`, click: onRemove },
          "\u00d7",
        ),
      ),
      this.holder,
      this.legend,
    );
    this.show(first);
  }

  show(preset: number): void {
    if (preset < 0) return this.set([], true);
    this.choice.value = String(preset);
    this.log.checked = this.presets[preset].log ?? false;
    this.set(this.presets[preset].curves(), false);
  }
  private set(curves: Curve[], own: boolean): void {
    if (own) this.choice.value = "-1";
    this.curves = curves;
    this.draw();
  }

  // One axis a unit; the first two are shown.
  draw(): void {
    this.chart?.destroy();
    this.chart = undefined;
    this.holder.replaceChildren();
    this.drawLegend();
    const width = this.holder.clientWidth;
    if (this.curves.length === 0 || width < 40) return;
    const log = this.log.checked;
    const units = [...new Set(this.curves.map((curve) => curve.unit))];
    const axis = {
      stroke: css("--ink-soft"),
      grid: { stroke: css("--grid"), width: 1 },
      ticks: { stroke: css("--grid"), width: 1 },
      font: "11px system-ui, sans-serif",
    };
    const joined = this.joined(log);
    const decades = (_: uPlot, ticks: number[]): (number | null)[] =>
      ticks.map((tick) => (!log || wholeDecade(tick) ? tick : null));
    this.chart = new uPlot(
      {
        width,
        height: 170,
        pxAlign: false,
        legend: { show: false },
        hooks: { draw: [() => this.update()] }, // before it is drawn it does not know where a time is
        cursor: { drag: { x: false, y: false }, points: { show: false } },
        scales: Object.fromEntries([
          ["x", { time: false }],
          ...units.map((unit) => [unit || "1", log ? { distr: 3 as const } : {}]),
        ]),
        axes: [
          { ...axis, size: 26 },
          ...units.slice(0, 2).map((unit, i) => ({
            ...axis,
            scale: unit || "1",
            side: i === 0 ? (3 as const) : (1 as const),
            size: 52,
            label: unit,
            labelSize: unit ? 16 : 0,
            labelFont: "11px system-ui, sans-serif",
            values: (_: uPlot, ticks: (number | null)[]) =>
              ticks.map((tick) => (tick === null ? "" : tickText(tick, log))),
            grid: i === 0 ? { ...axis.grid, filter: decades } : { show: false },
            ticks: { ...axis.ticks, filter: decades },
            filter: decades,
          })),
        ],
        series: [
          {},
          ...this.curves.map((curve, i) => ({
            scale: curve.unit || "1",
            stroke: curve.color ?? css(strokes[i % strokes.length]),
            width: 1.6,
            points: { show: false },
            spanGaps: true,
          })),
        ],
      },
      joined,
      this.holder,
    );
    this.chart.over.append(this.head);
    this.watch(this.chart.over);
  }

  // All curves of one table share its times; those of others are brought onto them.
  private joined(log: boolean): uPlot.AlignedData {
    const base = this.curves[0].table;
    const largest = (values: ArrayLike<number>): number =>
      Array.from(values).reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0);
    const most = Math.max(0, ...this.curves.map((curve) => largest(curve.values)));
    const floor = most > 0 ? Math.min(smallest, 1e-6 * most) : smallest;
    const fit = (values: ArrayLike<number>): number[] =>
      Array.from(values, (value) => (log ? Math.max(Math.abs(value), floor) : value));
    return [
      Array.from(base.t),
      ...this.curves.map((curve) => {
        if (curve.table === base || curve.table.rows === base.rows) return fit(curve.values);
        return fit(Array.from(base.t, (t) => curve.values[curve.table.row(t)]));
      }),
    ];
  }

  private drawLegend(): void {
    this.readouts = this.curves.map(() => h("span", { class: "value" }));
    this.legend.replaceChildren(
      ...this.curves.map((curve, i) => {
        const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
        swatch.style.background = curve.color ?? `var(${strokes[i % strokes.length]})`;
        return h("li", {}, swatch, h("span", { class: "name" }, curve.name), this.readouts[i]);
      }),
    );
  }

  private watch(over: HTMLElement): void {
    const seek = (event: PointerEvent): void => {
      const box = over.getBoundingClientRect();
      if (this.chart) this.clock.seek(this.chart.posToVal(event.clientX - box.left, "x"));
    };
    over.addEventListener("pointerdown", (event) => {
      over.setPointerCapture(event.pointerId);
      seek(event);
    });
    over.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) seek(event);
    });
  }

  update(): void {
    if (!this.chart) return;
    const { t } = this.clock;
    this.head.style.transform = `translateX(${this.chart.valToPos(t, "x").toFixed(1)}px)`;
    this.curves.forEach((curve, i) => {
      const row = curve.table.row(t);
      this.readouts[i].textContent = `${number(curve.values[row])}${curve.unit ? ` ${curve.unit}` : ""}`;
    });
  }
  resize(): void {
    if (this.holder.clientWidth < 40) return;
    if (!this.chart) this.draw();
    else if (Math.abs(this.chart.width - this.holder.clientWidth) > 1)
      this.chart.setSize({ width: this.holder.clientWidth, height: 170 });
  }
}

const wholeDecade = (tick: number): boolean => Math.abs((Math.log10(tick) / 3) % 1) < 1e-9;

function tickText(tick: number, log: boolean): string {
  return log ? `1e${Math.round(Math.log10(tick))}` : number(tick, 6);
}

export class Plots {
  readonly element = h("div", { class: "plots" });
  private readonly list = h("div", { class: "plot-list" });
  private readonly presets: Preset[];
  private plots: Plot[] = [];
  private count = 0;

  constructor(
    private readonly report: Report,
    private readonly clock: Clock,
  ) {
    this.presets = presetsOf(report);
    this.element.append(
      this.list,
      h("button", { type: "button", class: "wide", click: () => this.add(0) }, "Add a plot"),
    );
    const find = (start: string): number => this.presets.findIndex((preset) => preset.name.startsWith(start));
    const wanted =
      report.ghosts.length > 0 ? ["Pose differences", "Energy ledger"] : ["Outputs", "Energy ledger", "Residuals"];
    for (const name of wanted) if (find(name) >= 0) this.add(find(name));
    if (this.plots.length === 0 && this.presets.length > 0) this.add(0);
    clock.onChange(() => this.update());
    new ResizeObserver(() => this.plots.forEach((plot) => plot.resize())).observe(this.element);
  }
  private add(preset: number): void {
    const plot: Plot = new Plot(this.presets, this.report, this.clock, ++this.count, preset, () => {
      plot.element.remove();
      this.plots = this.plots.filter((each) => each !== plot);
    });
    this.plots.push(plot);
    this.list.append(plot.element);
    plot.draw();
  }
  update(): void {
    if (this.element.offsetParent) this.plots.forEach((plot) => plot.update());
  }
  redraw(): void {
    this.plots.forEach((plot) => plot.draw());
  }
}
