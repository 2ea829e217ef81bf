// Modes: eigenvalues against the swept parameter; the chosen one is played.
import uPlot from "uplot";
import type { Clock } from "./clock";
import { largestEigenvalue, type Report } from "./data";
import { h, number } from "./dom";
import { ModePoses } from "./poses";
import type { View } from "./view";

const strokes = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7", "--c8"];
const css = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function eigenvalueText([re, im]: [number, number]): string {
  return im === 0 ? number(re) : `${number(re)} \u00b1 ${number(Math.abs(im))} i`;
}

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
    this.point = Math.floor(this.values.length / 2);
    const small = 1e-9 * largestEigenvalue(modes, this.point);
    this.mode = Math.max(
      0,
      modes.modes.findIndex((mode) => !mode.neutral && mode.eigenvalues[this.point][1] > small),
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
        h("h3", {}, `Real part (growth rate) against ${label}`),
        this.holders[0],
        h("h3", {}, `Imaginary part (frequency) against ${label}`),
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
        "Click a point on a curve to animate its mode. The mechanism is shown in the frame that moves with its steady motion.",
      ),
    );
    const stable = modes.stable.map(([a, b]) => `${number(a, 9)} to ${number(b, 9)}`).join(", ");
    if (swept)
      this.element.append(h("p", {}, stable ? `Stable: ${modes.parameter} from ${stable}.` : "Not stable anywhere."));
    for (const crossing of modes.crossings)
      this.element.append(
        h(
          "p",
          { class: "hint" },
          `${modes.parameter} = ${number(crossing.value, 12)}: ${modes.modes[crossing.mode].name} becomes ${crossing.loses_stability ? "unstable" : "stable"}`,
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

  // The two of a pair have one name, and one colour.
  private get names(): string[] {
    return [...new Set(this.modes.modes.map((mode) => mode.name))];
  }
  private stroke(mode: number): string {
    return strokes[this.names.indexOf(this.modes.modes[mode].name) % strokes.length];
  }
  private at(mode: number): [number, number] {
    return this.modes.modes[mode].eigenvalues[this.point];
  }
  // Of a pair of conjugates at the present point the one with Im > 0: they are one motion.
  private ofPair(mode: number): number {
    const [re, im] = this.at(mode);
    if (im >= 0) return mode;
    const other = this.modes.modes.findIndex((_, i) => this.at(i)[0] === re && this.at(i)[1] === -im);
    return other < 0 ? mode : other;
  }
  private listModes(): void {
    const shown = this.modes.modes.map((_, i) => i).filter((i) => this.ofPair(i) === i);
    const alike = (name: string): boolean => shown.filter((i) => this.modes.modes[i].name === name).length > 1;
    this.choice.replaceChildren(
      ...shown.map((i) => {
        const { name } = this.modes.modes[i];
        return h("option", { value: i }, alike(name) ? `${name}, ${eigenvalueText(this.at(i))}` : name);
      }),
    );
  }

  private legend(): HTMLElement {
    const items = this.names.map((name, i) => {
      const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.background = `var(${strokes[i % strokes.length]})`;
      const neutral = this.modes.modes.some((mode) => mode.name === name && mode.neutral);
      return h("li", {}, swatch, h("span", {}, neutral ? `${name} (neutral: stays at zero)` : name));
    });
    return h("ul", { class: "legend beside" }, ...items);
  }
  choose(point: number, mode: number): void {
    this.point = point;
    this.mode = this.ofPair(mode);
    this.listModes();
    this.choice.value = String(this.mode);
    this.slider.value = String(point);
    this.slider.setAttribute("aria-valuetext", `${number(this.values[point])} ${this.modes.unit}`);
    this.play(true);
    this.moveDots();
    this.facts.replaceChildren(
      ...this.factsOf().map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value))),
    );
  }
  private factsOf(): [string, string][] {
    const { mode, point } = this;
    // Zero but for rounding counts as zero.
    const small = 1e-9 * largestEigenvalue(this.modes, point);
    const still = this.modes.modes[mode].neutral;
    const [re, im] = this.at(mode).map((part) => (still || Math.abs(part) <= small ? 0 : part)) as [number, number];
    const size = Math.hypot(re, im);
    const rows: [string, string][] = [
      ["eigenvalue", `${eigenvalueText([re, im])} 1/s`],
      ["frequency", `${number(Math.abs(im))} rad/s`],
      ["damping ratio", size > 0 ? number(-re / size) : "-"],
      re === 0
        ? ["growth", "neutral: neither grows nor decays"]
        : [re > 0 ? "doubles in" : "halves in", `${number(Math.LN2 / Math.abs(re))} s`],
    ];
    if (this.values.length > 1)
      rows.unshift([this.modes.parameter, `${number(this.values[point])} ${this.modes.unit}`]);
    return rows;
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
    if (!anew) {
      view.source = source;
      view.touch();
      return;
    }
    clock.setRange(0, source.duration, []);
    clock.toggleLoop(true);
    view.show(source, 0, source.duration);
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
        series: [{}, ...curves.map((_, i) => ({ stroke: css(this.stroke(i)), width: 1.8, points: { show: false } }))],
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
  // A mode that decays much faster than the rest moves must not flatten the others.
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
