// What can be plotted: sets of curves that belong together, and every recorded quantity by itself.
import { type Column, type Report, star, type Table, vectorNames } from "./data";
import { ghostColor } from "./dom";

export interface Curve {
  name: string;
  unit: string;
  table: Table;
  values: Float32Array | Float64Array;
  color?: string; // unless it takes the next one
}
export interface Preset {
  name: string;
  log?: boolean;
  curves(): Curve[];
}

const curve = (table: Table, column: Column, name = column.name): Curve => ({
  name: name + star(column),
  unit: column.unit,
  table,
  values: column.values,
});

// Lengths of the vectors that begin at a column.
function lengths(table: Table, first: number): Float64Array {
  const out = new Float64Array(table.rows);
  for (let row = 0; row < table.rows; ++row)
    out[row] = Math.hypot(...vectorNames.map((_, k) => table.columns[first + k].values[row]));
  return out;
}

function moves(column: Column): boolean {
  return column.values.some((value) => value !== 0);
}

export function presetsOf(report: Report): Preset[] {
  const { motion, model, ghosts } = report;
  const presets: Preset[] = [];
  if (ghosts.length > 0) {
    for (const [index, name] of ["Pose differences", "Velocity differences"].entries())
      presets.push({
        name,
        log: true,
        curves: () =>
          ghosts.map((table, i) => ({ ...curve(table, table.columns[index], table.name), color: ghostColor(i) })),
      });
  }
  if (!motion) return presets;
  const named = (names: string[]): Column[] =>
    names.map((name) => motion.find(name)).filter((column): column is Column => Boolean(column));
  const add = (name: string, columns: Column[], log = false): void => {
    if (columns.length > 0) presets.push({ name, log, curves: () => columns.map((column) => curve(motion, column)) });
  };

  // Outputs are the columns before the first body.
  const outputs = motion.columns.slice(0, Math.max(0, motion.places?.bodies[0]?.pose ?? 0));
  for (const unit of new Set(outputs.map((column) => column.unit)))
    add(
      unit ? `Outputs in ${unit}` : "Outputs",
      outputs.filter((column) => column.unit === unit),
    );

  const joints = motion.places?.joints ?? [];
  const coordinates = joints.flatMap((joint) => joint.coordinates);
  for (const unit of ["rad", "m"]) {
    const of = coordinates.filter((index) => motion.columns[index].unit === unit);
    const kind = unit === "rad" ? "angles" : "displacements";
    add(
      `Joint ${kind}`,
      of.map((index) => motion.columns[index]),
    );
    add(
      `Rates of joint ${kind}`,
      of.map((index) => motion.columns[index + 1]),
    );
  }
  const ledger = [
    "kinetic_energy",
    "gravity_energy",
    "spring_energy",
    "work_of_dampers",
    "work_of_drives",
    "work_of_forces",
  ];
  add("Energy ledger", named(ledger).filter(moves));
  add("Energy balance", named(["energy_balance"]));
  const residuals = [
    "position_residual_before",
    "velocity_residual_before",
    "position_residual",
    "velocity_residual",
    "acceleration_residual",
  ];
  add("Residuals", named(residuals), true);
  add("Momentum", named(vectorNames.map((axis) => `momentum_${axis}`)));
  add("Angular momentum", named(vectorNames.map((axis) => `angular_momentum_${axis}`)));
  add(
    "Wheel loads",
    motion.columns.filter((column) => column.name.endsWith(".normal_force")),
  );

  const reactions = [
    ...joints.map((place, i) => ({ name: model.joints[i].name, at: place.reaction })),
    ...(motion.places?.constraints ?? []).map((place, i) => ({ name: model.constraints[i].name, at: place.reaction })),
  ].filter(({ at }) => at >= 0);
  if (reactions.length > 0) {
    const norms = (shift: number, unit: string) => () =>
      reactions.map(({ name, at }) => ({
        name: name + star(...motion.columns.slice(at + shift, at + shift + 3)),
        unit,
        table: motion,
        values: lengths(motion, at + shift),
      }));
    presets.push({ name: "Reaction forces", curves: norms(0, "N") });
    presets.push({ name: "Reaction torques", curves: norms(3, "N m") });
  }
  return presets;
}

// Every recorded quantity, in groups for a list.
export function quantitiesOf(report: Report): { group: string; columns: { label: string; curve: Curve }[] }[] {
  const groups: { group: string; columns: { label: string; curve: Curve }[] }[] = [];
  for (const table of [report.motion, ...report.ghosts]) {
    if (!table) continue;
    const ghost = table !== report.motion;
    groups.push({
      group: ghost ? `Differences of ${table.name}` : "Recorded",
      columns: table.columns.map((column) => ({
        label: (column.unit ? `${column.name} [${column.unit}]` : column.name) + star(column),
        curve: curve(table, column, ghost ? `${table.name}: ${column.name}` : column.name),
      })),
    });
  }
  return groups;
}
