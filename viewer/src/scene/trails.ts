// Paths of points over the whole record, drawn up to the time that is shown.
import * as THREE from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { Table } from "../data";

const longest = 4000; // points of a trail

export class Trail {
  readonly line: Line2;
  private readonly every: number;
  private readonly points: number;

  // `columns`: where x, y and z of the point begin.
  constructor(
    private readonly table: Table,
    columns: number,
    color: string,
  ) {
    this.every = Math.max(1, Math.ceil(table.rows / longest));
    const positions: number[] = [];
    for (let row = 0; row < table.rows; row += this.every)
      for (let k = 0; k < 3; ++k) positions.push(table.columns[columns + k].values[row]);
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
  set(name: string, columns: number, color: string, on: boolean): void {
    const old = this.trails.get(name);
    if (on === Boolean(old)) return;
    if (old) {
      this.group.remove(old.line);
      old.line.geometry.dispose();
      this.trails.delete(name);
    } else {
      const trail = new Trail(this.table, columns, color);
      this.trails.set(name, trail);
      this.group.add(trail.line);
    }
  }
  update(t: number): void {
    if (this.group.visible) for (const trail of this.trails.values()) trail.update(t);
  }
}
