// Reactions of joints and constraints as arrows to one scale: newtons a metre.
import * as THREE from "three";
import type { Model, Table } from "../data";
import { place } from "../poses";

const z = new THREE.Vector3(0, 0, 1);

class Arrow {
  readonly group = new THREE.Group();
  private readonly shaft: THREE.Mesh;
  private readonly head: THREE.Mesh;
  private readonly size: number;

  constructor(color: string, size: number) {
    const paint = new THREE.MeshStandardMaterial({ color, roughness: 0.4, emissive: color, emissiveIntensity: 0.25 });
    this.size = size;
    this.shaft = new THREE.Mesh(
      new THREE.CylinderGeometry(1, 1, 1, 14).rotateX(Math.PI / 2).translate(0, 0, 0.5),
      paint,
    );
    this.head = new THREE.Mesh(new THREE.ConeGeometry(1, 1, 20).rotateX(Math.PI / 2).translate(0, 0, -0.5), paint);
    this.shaft.castShadow = this.head.castShadow = true;
    this.group.add(this.shaft, this.head);
  }
  set(from: readonly number[], force: THREE.Vector3, scale: number): void {
    const length = force.length() * scale;
    this.group.visible = length > 0.004 * this.size;
    if (!this.group.visible) return;
    const head = Math.min(0.07 * this.size, 0.5 * length);
    this.group.position.set(from[0], from[1], from[2]);
    this.group.quaternion.setFromUnitVectors(z, force.normalize());
    this.shaft.scale.set(0.009 * this.size, 0.009 * this.size, length - 0.9 * head);
    this.head.scale.set(0.36 * head, 0.36 * head, head);
    this.head.position.z = length;
  }
}

interface Source {
  arrow: Arrow;
  column: number; // of the force
  joint: number; // -1: a constraint, whose point follows its torque
  wheel: boolean;
}

export class Arrows {
  readonly group = new THREE.Group();
  readonly newtonsPerMetre: number;
  private readonly sources: Source[] = [];
  private readonly force = new THREE.Vector3();
  private readonly point = [0, 0, 0];

  constructor(
    private readonly model: Model,
    private readonly table: Table,
    size: number,
  ) {
    const add = (column: number, joint: number, wheel: boolean): void => {
      if (column < 0) return;
      const arrow = new Arrow(wheel ? "#2e9e5b" : "#d1495b", size);
      this.group.add(arrow.group);
      this.sources.push({ arrow, column, joint, wheel });
    };
    table.places?.joints.forEach((place, i) => add(place.reaction, i, false));
    table.places?.constraints.forEach((place, i) => add(place.reaction, -1, model.constraints[i].carries_load));
    let largest = 0;
    for (const { column } of this.sources)
      for (let row = 0; row < table.rows; ++row) {
        let sum = 0;
        for (let k = 0; k < 3; ++k) sum += table.columns[column + k].values[row] ** 2;
        largest = Math.max(largest, sum);
      }
    const wanted = Math.sqrt(largest) / (0.5 * size) || 1;
    const decade = 10 ** Math.floor(Math.log10(wanted));
    this.newtonsPerMetre = decade * ([1, 2, 5, 10].find((step) => step * decade >= wanted) ?? 10);
  }
  get any(): boolean {
    return this.sources.length > 0;
  }
  get anyWheel(): boolean {
    return this.sources.some((source) => source.wheel);
  }
  update(t: number, poses: Float64Array, wheels: boolean, joints: boolean): void {
    this.group.visible = wheels || joints;
    if (!this.group.visible) return;
    const { table, model } = this;
    const row = table.row(t);
    for (const { arrow, column, joint, wheel } of this.sources) {
      arrow.group.visible = wheel ? wheels : joints;
      if (!arrow.group.visible) continue;
      const at = (k: number): number => table.columns[column + k].values[row];
      this.force.set(at(0), at(1), at(2));
      if (joint >= 0) place(poses, model.joints[joint].first.body, model.joints[joint].first.p, this.point);
      else for (let k = 0; k < 3; ++k) this.point[k] = table.at(table.columns[column + 6 + k], t);
      arrow.set(this.point, this.force, 1 / this.newtonsPerMetre);
    }
  }
}
