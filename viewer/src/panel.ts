// The panel: what the mechanism is made of, and the numbers of the chosen thing at the time that is shown.
import type { Clock } from "./clock";
import { type Report, star } from "./data";
import { h, number } from "./dom";
import type { Thing } from "./scene/machine";
import type { Path } from "./scene/trails";
import type { View } from "./view";

interface Line {
  name: string;
  value(t: number): string;
}

function vector(report: Report, first: number, unit: string): ((t: number) => string) | undefined {
  const { motion } = report;
  if (!motion || first < 0) return undefined;
  return (t) => {
    const parts = motion.columns.slice(first, first + 3);
    return `${parts.map((part) => number(motion.at(part, t), 4) + star(part)).join(", ")} ${unit}`;
  };
}
function length(report: Report, first: number, unit: string): ((t: number) => string) | undefined {
  const { motion } = report;
  if (!motion || first < 0) return undefined;
  const parts = motion.columns.slice(first, first + 3);
  return (t) => `${number(Math.hypot(...parts.map((part) => motion.at(part, t))))} ${unit}${star(...parts)}`;
}

// Yaw, lean and pitch: turns about z, x and y, in this order.
function angles(poses: Float64Array, body: number): string {
  const [x, y, z, w] = poses.slice(7 * body + 3, 7 * body + 7);
  const degrees = (angle: number): string => number((180 / Math.PI) * angle, 4);
  const yaw = Math.atan2(-2 * (x * y - z * w), 1 - 2 * (x * x + z * z));
  const lean = Math.asin(Math.max(-1, Math.min(1, 2 * (y * z + x * w))));
  const pitch = Math.atan2(-2 * (x * z - y * w), 1 - 2 * (x * x + y * y));
  return `${degrees(yaw)}, ${degrees(lean)}, ${degrees(pitch)} \u00b0`;
}

function lines(report: Report, view: View, thing: Thing): Line[] {
  const { model, motion } = report;
  const out: Line[] = [];
  const add = (name: string, value: ((t: number) => string) | string | undefined): void => {
    if (value !== undefined) out.push({ name, value: typeof value === "string" ? () => value : value });
  };
  const bodyName = (index: number): string => (index < 0 ? "world" : model.bodies[index].name);
  const reaction = (first: number): void => {
    add("force, magnitude", length(report, first, "N"));
    add("force x, y, z", vector(report, first, "N"));
    add("torque x, y, z", vector(report, first < 0 ? -1 : first + 3, "N m"));
  };
  if (thing.kind === "body") {
    const body = model.bodies[thing.index];
    const places = motion?.places?.bodies[thing.index];
    add("mass", `${number(body.mass)} kg`);
    add("mass centre x, y, z", vector(report, places?.pose ?? -1, "m"));
    const poses = new Float64Array(7 * model.bodies.length); // those of the picture may be of the time before
    const attitude = (t: number): string => {
      view.source.poses(t, poses);
      return angles(poses, thing.index);
    };
    if (!body.point_mass) add("yaw, lean, pitch", attitude);
    add("speed", length(report, places?.velocity ?? -1, "m/s"));
    add("velocity x, y, z", vector(report, places?.velocity ?? -1, "m/s"));
    if (!body.point_mass && places && places.velocity >= 0)
      add("angular velocity (body axes)", vector(report, places.velocity + 3, "rad/s"));
  } else if (thing.kind === "joint") {
    const joint = model.joints[thing.index];
    const places = motion?.places?.joints[thing.index];
    add("type", joint.type);
    add("between", `${bodyName(joint.first.body)}, ${bodyName(joint.second.body)}`);
    for (const index of places?.coordinates ?? [])
      for (const column of [motion?.columns[index], motion?.columns[index + 1]])
        if (motion && column)
          add(column.name.slice(joint.name.length + 1), (t) => `${number(motion.at(column, t))} ${column.unit}`);
    reaction(places?.reaction ?? -1);
  } else {
    const constraint = model.constraints[thing.index];
    const first = motion?.places?.constraints[thing.index].reaction ?? -1;
    add("type", constraint.type);
    if (constraint.first && constraint.second)
      add("between", `${bodyName(constraint.first.body)}, ${bodyName(constraint.second.body)}`);
    reaction(first);
    add("point of application", vector(report, first < 0 ? -1 : first + 6, "m"));
  }
  return out;
}

export function panel(report: Report, view: View, clock: Clock): { element: HTMLElement; update(): void } {
  const { model } = report;
  const list = h("div", { class: "things" });
  const numbers = h("div", { class: "numbers", "aria-live": "off" });
  const buttons: { thing: Thing; button: HTMLButtonElement }[] = [];
  const group = (title: string, kind: Thing["kind"], names: string[]): void => {
    if (names.length === 0) return;
    const items = names.map((name, index) => {
      const thing: Thing = { kind, index };
      const button = h(
        "button",
        { type: "button", class: "thing", "aria-pressed": "false", click: () => view.select(thing) },
        name,
      );
      buttons.push({ thing, button });
      return h("li", {}, button);
    });
    list.append(h("h3", {}, title), h("ul", {}, ...items));
  };
  group(
    "Bodies",
    "body",
    model.bodies.map((body) => body.name),
  );
  group(
    "Joints",
    "joint",
    model.joints.map((joint) => joint.name),
  );
  group(
    "Constraints",
    "constraint",
    model.constraints.map((constraint) => constraint.name),
  );

  let shown: { line: Line; cell: HTMLElement }[] = [];
  const update = (): void => {
    for (const { line, cell } of shown) {
      const text = line.value(clock.t);
      if (cell.textContent !== text) cell.textContent = text;
    }
  };
  const names = { body: model.bodies, joint: model.joints, constraint: model.constraints };
  const show = (thing: Thing | undefined): void => {
    for (const each of buttons) {
      const on = each.thing.kind === thing?.kind && each.thing.index === thing?.index;
      each.button.setAttribute("aria-pressed", String(on));
    }
    if (!thing) {
      shown = [];
      numbers.replaceChildren(
        h("p", { class: "hint" }, "Click a body, a joint or a constraint point, in the picture or in the list."),
      );
      return;
    }
    shown = lines(report, view, thing).map((line) => ({ line, cell: h("td") }));
    const table = h(
      "table",
      {},
      h("tbody", {}, ...shown.map(({ line, cell }) => h("tr", {}, h("th", { scope: "row" }, line.name), cell))),
    );
    const children = [h("h2", { class: "chosen" }, names[thing.kind][thing.index].name), table];
    numbers.replaceChildren(...children, ...trailBoxes(view, thing));
    update();
  };
  view.onSelect(show);
  clock.onChange(() => {
    if (numbers.offsetParent) update();
  });
  show(undefined);
  return { element: h("div", { class: "panel" }, numbers, list), update };
}

// Trails of the chosen thing, and of the point of a body that was clicked.
function trailBoxes(view: View, thing: Thing): HTMLElement[] {
  const color = thing.kind === "body" ? view.machine.colors[thing.index] : "#7d4cc2";
  const what = { body: "its mass centre", joint: "the joint", constraint: "its point" };
  const box = (name: string, text: string, path: Path | undefined): HTMLElement[] => {
    if (!path) return [];
    const input = h("input", { type: "checkbox" });
    input.checked = view.trails?.has(name) ?? false;
    input.addEventListener("change", () => view.setTrail(name, path, color, input.checked));
    return [h("label", { class: "check" }, input, text)];
  };
  const point = view.clicked?.map((each) => each.toPrecision(3)).join(" ");
  return [
    ...box(`${thing.kind} ${thing.index}`, `Trail of ${what[thing.kind]}`, view.pathOf(thing)),
    ...box(`point ${thing.index} ${point}`, "Trail of the point you clicked", view.pathOfClicked()),
  ];
}
