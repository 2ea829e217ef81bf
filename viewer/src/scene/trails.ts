// Paths of points over the whole record, drawn up to the time that is shown.
import * as THREE from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { Table } from "../data";
import { type PoseSource, place } from "../poses";

const longest = 4000; // points of a trail

export type Path = (row: number, out: number[]) => void; // where the point is at a sample of the record

// A point whose x, y and z are recorded.
export function recorded(table: Table, first: number): Path {
  return (row, out) => {
    for (let k = 0; k < 3; ++k) out[k] = table.columns[first + k].values[row];
  };
}
// A point fixed to a body, given from its mass centre in its axes.
export function onBody(table: Table, source: PoseSource, body: number, p: readonly number[]): Path {
  const poses = new Float64Array(7 * (table.places?.bodies.length ?? 0));
  return (row, out) => {
    source.poses(table.t[row], poses);
    place(poses, body, p, out);
  };
}

export class Trail {
  readonly line: Line2;
  private readonly every: number;
  private readonly points: number;

  constructor(
    private readonly table: Table,
    path: Path,
    color: string,
  ) {
    this.every = Math.max(1, Math.ceil(table.rows / longest));
    const positions: number[] = [];
    const point = [0, 0, 0];
    for (let row = 0; row < table.rows; row += this.every) {
      path(row, point);
      positions.push(point[0], point[1], point[2]);
    }
    this.points = positions.length / 3;
    if (this.points === 1) positions.push(...positions);
    const geometry = new LineGeometry();
    geometry.setPositions(positions);
    this.line = new Line2(geometry, new LineMaterial({ color, linewidth: 2.2, transparent: true, opacity: 0.9 }));
    this.line.frustumCulled = false;
  }
  update(t: number): void {
    const shown = Math.floor(this.table.row(t) / this.every);
    this.line.geometry.instanceCount = Math.min(shown, this.points - 1);
    this.line.visible = shown > 0;
  }
}

export class Trails {
  readonly group = new THREE.Group();
  private readonly trails = new Map<string, Trail>();

  constructor(private readonly table: Table) {}
  has(name: string): boolean {
    return this.trails.has(name);
  }
  set(name: string, path: Path, color: string, on: boolean): void {
    const old = this.trails.get(name);
    if (on === Boolean(old)) return;
    if (old) {
      this.group.remove(old.line);
      old.line.geometry.dispose();
      this.trails.delete(name);
    } else {
      const trail = new Trail(this.table, path, color);
      this.trails.set(name, trail);
      this.group.add(trail.line);
    }
  }
  update(t: number): void {
    if (this.group.visible) for (const trail of this.trails.values()) trail.update(t);
  }
}
