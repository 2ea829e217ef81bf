// Modes: eigenvalues against the swept parameter; the chosen one is played.
import uPlot from "uplot";
import type { Clock } from "./clock";
import type { Report } from "./data";
import { h, number } from "./dom";
import { ModePoses } from "./poses";
import type { View } from "./view";

const strokes = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7", "--c8"];
const css = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export class ModesPage {
  readonly element = h("div", { class: "modes" });
  private point: number;
  private mode = 0;
  private amplitude = 1;
  private readonly charts: { chart: uPlot; dot: HTMLElement; part: 0 | 1 }[] = [];
  private readonly holders = [h("div", { class: "chart" }), h("div", { class: "chart" })];
  private readonly choice = h("select", { "aria-label": "Mode" });
  private readonly slider = h("input", { type: "range", min: 0, step: 1, "aria-label": "Point of the sweep" });
  private readonly facts = h("tbody");

  constructor(
    private readonly report: Report,
    private readonly view: View,
    private readonly clock: Clock,
  ) {
    const { modes } = this;
    modes.modes.forEach((mode, i) => this.choice.append(h("option", { value: i }, mode.name)));
    this.point = Math.floor(this.values.length / 2);
    this.mode = Math.max(
      0,
      modes.modes.findIndex((mode) => !mode.neutral && mode.eigenvalues[this.point][1] > 1e-9),
    );
    this.slider.max = String(this.values.length - 1);
    this.choice.addEventListener("change", () => this.choose(this.point, Number(this.choice.value)));
    this.slider.addEventListener("input", () => this.choose(Number(this.slider.value), this.mode));
    const size = h("input", { type: "range", min: 0.1, max: 2, step: 0.05, value: 1, "aria-label": "Amplitude" });
    size.addEventListener("input", () => {
      this.amplitude = Number(size.value);
      this.play(false);
    });
    const swept = this.values.length > 1;
    const label = `${modes.parameter}${modes.unit ? ` [${modes.unit}]` : ""}`;
    if (swept)
      this.element.append(
        h("h3", {}, `Growth, real part, against ${label}`),
        this.holders[0],
        h("h3", {}, `Frequency, imaginary part, against ${label}`),
        this.holders[1],
      );
    if (swept) this.element.append(this.legend());
    this.element.append(h("div", { class: "pick" }, h("label", {}, "Mode ", this.choice)));
    if (swept) this.element.append(h("label", { class: "slide" }, modes.parameter, this.slider));
    this.element.append(
      h("label", { class: "slide" }, "Amplitude", size),
      h("table", {}, this.facts),
      h(
        "p",
        { class: "hint" },
        "Click a point of a curve to see its mode. The machine is seen from the frame of its steady motion.",
      ),
    );
    const stable = modes.stable.map(([a, b]) => `${number(a)} to ${number(b)}`).join(", ");
    if (swept)
      this.element.append(h("p", {}, stable ? `Stable: ${modes.parameter} from ${stable}.` : "Stable nowhere."));
    for (const crossing of modes.crossings)
      this.element.append(
        h(
          "p",
          { class: "hint" },
          `${modes.parameter} = ${number(crossing.value, 8)}: ${modes.modes[crossing.mode].name} becomes ${crossing.loses_stability ? "unstable" : "stable"}`,
        ),
      );
    new ResizeObserver(() => this.redraw()).observe(this.holders[0]);
    this.choose(this.point, this.mode);
  }
  private get modes() {
    return this.report.modes!;
  }
  private get values(): Float64Array {
    return this.report.points!.t;
  }

  private legend(): HTMLElement {
    const items = this.modes.modes.map((mode, i) => {
      const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.background = `var(${strokes[i % strokes.length]})`;
      return h("li", {}, swatch, h("span", {}, mode.neutral ? `${mode.name} (stays at zero)` : mode.name));
    });
    return h("ul", { class: "legend beside" }, ...items);
  }
  choose(point: number, mode: number): void {
    this.point = point;
    this.mode = mode;
    this.choice.value = String(mode);
    this.slider.value = String(point);
    this.slider.setAttribute("aria-valuetext", `${number(this.values[point])} ${this.modes.unit}`);
    this.play(true);
    this.moveDots();
    const [re, im] = this.modes.modes[mode].eigenvalues[point];
    const size = Math.hypot(re, im);
    const rows: [string, string][] = [
      ["eigenvalue", `${number(re)}${im === 0 ? "" : ` ${im < 0 ? "-" : "+"} ${number(Math.abs(im))} i`} 1/s`],
      ["frequency", `${number(Math.abs(im))} rad/s`],
      ["damping ratio", size > 0 ? number(-re / size) : "-"],
      [re > 0 ? "doubles in" : "halves in", re === 0 ? "never" : `${number(Math.LN2 / Math.abs(re))} s`],
    ];
    if (this.values.length > 1)
      rows.unshift([this.modes.parameter, `${number(this.values[point])} ${this.modes.unit}`]);
    this.facts.replaceChildren(
      ...rows.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value))),
    );
  }
  private play(anew: boolean): void {
    const { report, view, clock } = this;
    const source = new ModePoses(
      report.model,
      report.points!,
      this.point,
      this.modes,
      this.mode,
      view.framing.size,
      this.amplitude,
    );
    view.source = source;
    if (anew) {
      clock.setRange(0, source.duration, []);
      clock.toggleLoop(true);
    }
    view.touch();
  }

  redraw(): void {
    if (this.values.length < 2) return;
    for (const { chart } of this.charts.splice(0)) chart.destroy();
    this.holders.forEach((holder, part) => {
      if (holder.clientWidth > 40) this.draw(holder, part as 0 | 1);
    });
    this.moveDots();
  }
  private draw(holder: HTMLElement, part: 0 | 1): void {
    const axis = {
      stroke: css("--ink-soft"),
      grid: { stroke: css("--grid"), width: 1 },
      ticks: { stroke: css("--grid"), width: 1 },
      font: "11px system-ui, sans-serif",
    };
    const curves = this.modes.modes.map((mode) =>
      mode.eigenvalues.map((value) => (part === 0 ? value[0] : Math.abs(value[1]))),
    );
    const chart = new uPlot(
      {
        width: holder.clientWidth,
        height: 190,
        pxAlign: false,
        legend: { show: false },
        hooks: { ready: [() => this.moveDots()], drawClear: part === 0 ? [(plot) => this.shadeStable(plot)] : [] },
        cursor: { drag: { x: false, y: false }, points: { show: false } },
        scales: { x: { time: false }, y: part === 0 ? { range: (_, low, high) => this.growthRange(low, high) } : {} },
        axes: [
          { ...axis, size: 26 },
          {
            ...axis,
            size: 50,
            label: part === 0 ? "1/s" : "rad/s",
            labelSize: 16,
            labelFont: "11px system-ui, sans-serif",
          },
        ],
        series: [
          {},
          ...curves.map((_, i) => ({ stroke: css(strokes[i % strokes.length]), width: 1.8, points: { show: false } })),
        ],
      },
      [Array.from(this.values), ...curves],
      holder,
    );
    const dot = h("div", { class: "dot-mark", "aria-hidden": "true" });
    chart.over.append(dot);
    chart.over.addEventListener("click", (event) => {
      const box = chart.over.getBoundingClientRect();
      this.chooseNear(chart, curves, event.clientX - box.left, event.clientY - box.top);
    });
    this.charts.push({ chart, dot, part });
  }
  // A mode that dies out much faster than the rest moves must not flatten the others.
  private growthRange(low: number, high: number): [number, number] {
    const swings = Math.max(...this.modes.modes.flatMap((mode) => mode.eigenvalues.map((value) => Math.abs(value[1]))));
    const most = 1.2 * Math.max(swings, high, 0.1 * Math.abs(low));
    const bottom = Math.max(low, -most);
    const room = 0.06 * (high - bottom || 1);
    return [bottom - room, high + room];
  }
  private shadeStable(plot: uPlot): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.fillStyle = css("--good-back");
    for (const [from, to] of this.modes.stable) {
      const left = Math.max(bbox.left, plot.valToPos(from, "x", true));
      const right = Math.min(bbox.left + bbox.width, plot.valToPos(to, "x", true));
      if (right > left) ctx.fillRect(left, bbox.top, right - left, bbox.height);
    }
    ctx.restore();
  }
  private chooseNear(chart: uPlot, curves: number[][], x: number, y: number): void {
    let best = Infinity;
    let found: [number, number] = [this.point, this.mode];
    curves.forEach((curve, mode) =>
      curve.forEach((value, point) => {
        const distance = Math.hypot(chart.valToPos(this.values[point], "x") - x, chart.valToPos(value, "y") - y);
        if (distance >= best) return;
        best = distance;
        found = [point, mode];
      }),
    );
    this.choose(...found);
    this.clock.play(true);
  }
  private moveDots(): void {
    const value = this.modes.modes[this.mode].eigenvalues[this.point];
    for (const { chart, dot, part } of this.charts) {
      const x = chart.valToPos(this.values[this.point], "x");
      const y = chart.valToPos(part === 0 ? value[0] : Math.abs(value[1]), "y");
      dot.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
  }
}
