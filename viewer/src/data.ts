// The data of a report: its header and its tables. The format is described in docs/report.md.

export type Vec = [number, number, number];
export type Quat = [number, number, number, number];

export interface Place {
  body: number; // -1: the world
  p: Vec;
  q: Quat;
}
export interface Shape {
  kind: "sphere" | "ellipsoid" | "box" | "cylinder" | "rod" | "disc" | "ring";
  p: Vec;
  radius?: number;
  length?: number;
  size?: Vec;
  axis?: Vec;
  color?: string;
}
export interface Body {
  name: string;
  mass: number;
  point_mass: boolean;
  p: Vec;
  q: Quat;
  origin: Vec;
  shapes: Shape[];
}
export interface Joint {
  name: string;
  type: string;
  first: Place;
  second: Place;
  has_axis: boolean;
}
export interface Constraint {
  name: string;
  type: string;
  carries_load: boolean;
  first?: Place;
  second?: Place;
  radius?: number;
}
export interface Force {
  name: string;
  type: string;
  points: Place[];
}
export interface Model {
  name: string;
  title: string;
  gravity: Vec;
  length: number; // of the mechanism: its scale
  bodies: Body[];
  joints: Joint[];
  constraints: Constraint[];
  forces: Force[];
}

export type Trust = "trusted" | "look" | "not to be trusted";
export interface Verdict {
  trust: Trust;
  word: string; // that of trust; of a comparison: agree, differ
  sentence: string;
  reasons: { trust: Trust; text: string }[];
  figures: { name: string; value: string; trust: Trust }[];
  tables: { title: string; heading: string[]; rows: string[][] }[];
  notes: string[];
}

export interface Places {
  bodies: { pose: number; velocity: number }[];
  joints: { coordinates: number[]; reaction: number }[];
  constraints: { reaction: number }[];
}
interface TableHeader {
  name: string;
  table: number;
  rows: number;
  columns?: [string, string][];
  not_unique?: number[]; // columns of loads that redundant rows share
  places?: Places;
}
export interface Modes {
  parameter: string;
  unit: string;
  modes: { name: string; neutral: boolean; eigenvalues: [number, number][] }[];
  crossings: { value: number; mode: number; loses_stability: boolean }[];
  stable: [number, number][];
  zeros: string[];
  points: TableHeader;
}
// What round-off of eigenvalues is measured by.
export const largestEigenvalue = (modes: Modes, point: number): number =>
  Math.max(0, ...modes.modes.map((mode) => Math.hypot(...mode.eigenvalues[point])));

interface Header {
  format: number;
  tandem: string;
  model: Model;
  about: [string, string][];
  notices: string[];
  verdict?: Verdict;
  motions: TableHeader[];
  ghosts: TableHeader[];
  modes?: Modes;
}

export interface Column {
  name: string;
  unit: string;
  values: Float32Array;
  unique: boolean; // not: a load that redundant rows share
}
export class Table {
  constructor(
    readonly name: string,
    readonly t: Float64Array,
    readonly columns: Column[],
    readonly places?: Places,
  ) {}
  get rows(): number {
    return this.t.length;
  }
  find(name: string): Column | undefined {
    return this.columns.find((column) => column.name === name);
  }
  // The last sample that is not later than t.
  row(t: number): number {
    let low = 0;
    let high = this.t.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.t[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }
  // A column at any time, linear between samples.
  at(column: Column, t: number): number {
    const row = this.row(t);
    const next = Math.min(row + 1, this.rows - 1);
    const span = this.t[next] - this.t[row];
    const share = span > 0 ? Math.min(1, Math.max(0, (t - this.t[row]) / span)) : 0;
    return column.values[row] + share * (column.values[next] - column.values[row]);
  }
}

export interface Report {
  tandem: string;
  model: Model;
  about: [string, string][];
  notices: string[];
  verdict?: Verdict;
  motion?: Table;
  ghosts: Table[];
  modes?: Modes;
  points?: Table; // of the modes: column 0.. are numbers without names
}

function decode(text: string): ArrayBuffer {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

function readTable(document: Document, header: TableHeader): Table {
  const block = document.getElementById(`tandem-numbers-${header.table}`);
  const buffer = decode(block?.textContent ?? "");
  const rows = header.rows;
  const t = new Float64Array(buffer, 0, rows);
  const count = rows > 0 ? (buffer.byteLength - 8 * rows) / (4 * rows) : 0;
  const columns: Column[] = [];
  const shared = new Set(header.not_unique);
  for (let i = 0; i < count; ++i) {
    const [name, unit] = header.columns?.[i] ?? ["", ""];
    const values = new Float32Array(buffer, 8 * rows + 4 * rows * i, rows);
    columns.push({ name, unit, values, unique: !shared.has(i) });
  }
  return new Table(header.name, t, columns, header.places);
}

export function readReport(document: Document): Report | undefined {
  const block = document.getElementById("tandem-header");
  if (!block) return undefined;
  const header = JSON.parse(block.textContent ?? "") as Header;
  const motion = header.motions.length > 0 ? readTable(document, header.motions[0]) : undefined;
  return {
    tandem: header.tandem,
    model: header.model,
    about: header.about,
    notices: header.notices,
    verdict: header.verdict,
    motion,
    ghosts: header.ghosts.map((each) => readTable(document, each)),
    modes: header.modes,
    points: header.modes ? readTable(document, header.modes.points) : undefined,
  };
}

export const vectorNames = ["x", "y", "z"];
// A star behind a load that is not unique.
export const star = (...columns: Column[]): string => (columns.every((column) => column.unique) ? "" : " *");
