// Where every body is at a time: seven numbers a body, position of the mass centre and quaternion (x, y, z, w).
import { Vector3 } from "three";
import { largestEigenvalue, type Model, type Modes, type Table } from "./data";

export interface PoseSource {
  poses(t: number, out: Float64Array): void;
}

export class StartPoses implements PoseSource {
  constructor(private readonly model: Model) {}
  poses(_t: number, out: Float64Array): void {
    this.model.bodies.forEach((body, i) => out.set([...body.p, ...body.q], 7 * i));
  }
}

// A recorded motion, between samples linear in the position and along the shorter arc in the attitude.
export class MotionPoses implements PoseSource {
  constructor(
    private readonly model: Model,
    private readonly table: Table,
  ) {}
  poses(t: number, out: Float64Array): void {
    const { table, model } = this;
    const row = table.row(t);
    const next = Math.min(row + 1, table.rows - 1);
    const span = table.t[next] - table.t[row];
    const s = span > 0 ? Math.min(1, Math.max(0, (t - table.t[row]) / span)) : 0;
    for (let i = 0; i < model.bodies.length; ++i) {
      const at = 7 * i;
      const first = table.places?.bodies[i].pose ?? -1;
      if (first < 0) {
        out.set([...model.bodies[i].p, ...model.bodies[i].q], at);
        continue;
      }
      for (let k = 0; k < 3; ++k) {
        const values = table.columns[first + k].values;
        out[at + k] = values[row] + s * (values[next] - values[row]);
      }
      if (model.bodies[i].point_mass) {
        out[at + 3] = out[at + 4] = out[at + 5] = 0;
        out[at + 6] = 1;
        continue;
      }
      let dot = 0;
      for (let k = 3; k < 7; ++k) {
        const values = table.columns[first + k].values;
        dot += values[row] * values[next];
      }
      const sign = dot < 0 ? -1 : 1;
      for (let k = 3; k < 7; ++k) {
        const values = table.columns[first + k].values;
        out[at + k] = values[row] + s * (sign * values[next] - values[row]);
      }
      normalise(out, at + 3);
    }
  }
}

function normalise(out: Float64Array, at: number): void {
  const size = Math.hypot(out[at], out[at + 1], out[at + 2], out[at + 3]) || 1;
  for (let k = 0; k < 4; ++k) out[at + k] /= size;
}

// q times exp of a rotation vector: on the left it turns in world axes, on the right in body axes.
function turn(out: Float64Array, at: number, x: number, y: number, z: number, world: boolean): void {
  const angle = Math.hypot(x, y, z);
  const factor = angle > 1e-12 ? Math.sin(angle / 2) / angle : 0.5;
  const [ax, ay, az, aw] = [x * factor, y * factor, z * factor, Math.cos(angle / 2)];
  const [bx, by, bz, bw] = [out[at], out[at + 1], out[at + 2], out[at + 3]];
  const s = world ? 1 : -1;
  out[at] = aw * bx + ax * bw + s * (ay * bz - az * by);
  out[at + 1] = aw * by + ay * bw + s * (az * bx - ax * bz);
  out[at + 2] = aw * bz + az * bw + s * (ax * by - ay * bx);
  out[at + 3] = aw * bw - ax * bx - ay * by - az * bz;
}

// Another motion beside the shown one: its difference, times a factor, on top of it.
export class GhostPoses implements PoseSource {
  factor = 1;
  constructor(
    private readonly model: Model,
    private readonly base: PoseSource,
    readonly table: Table,
  ) {}
  poses(t: number, out: Float64Array): void {
    this.base.poses(t, out);
    let column = 2; // after the two largest differences
    const part = (): number => this.factor * this.table.at(this.table.columns[column++], t);
    for (let i = 0; i < this.model.bodies.length; ++i) {
      const at = 7 * i;
      for (let k = 0; k < 3; ++k) out[at + k] += part();
      if (!this.model.bodies[i].point_mass) turn(out, at + 3, part(), part(), part(), true);
    }
  }
}

// A mode of a linearisation about its steady motion, seen from the frame that moves along.
export class ModePoses implements PoseSource {
  readonly duration: number;
  readonly frequency: number;
  readonly growth: number;
  private readonly real: number[] = [];
  private readonly imaginary: number[] = [];

  constructor(
    private readonly model: Model,
    private readonly table: Table,
    private readonly point: number,
    modes: Modes,
    mode: number,
    size: number,
    amplitude: number,
  ) {
    [this.growth, this.frequency] = modes.modes[mode].eigenvalues[point];
    const small = 1e-9 * largestEigenvalue(modes, point);
    const swings = Math.abs(this.frequency) > small;
    const decay = Math.abs(this.growth);
    this.duration = swings ? (4 * Math.PI) / Math.abs(this.frequency) : decay > small ? 3 / decay : 2;
    const speeds = model.bodies.reduce((sum, body) => sum + (body.point_mass ? 3 : 6), 0);
    const poses = model.bodies.reduce((sum, body) => sum + (body.point_mass ? 3 : 7), 0);
    const first = poses + 2 * speeds * mode;
    let largest = 1e-30;
    for (let i = 0, k = 0; i < model.bodies.length; ++i) {
      const turns = model.bodies[i].point_mass ? 0 : 3;
      for (let j = 0; j < turns + 3; ++j, ++k) {
        const re = table.columns[first + k].values[point];
        const im = table.columns[first + speeds + k].values[point];
        this.real.push(re);
        this.imaginary.push(im);
        largest = Math.max(largest, Math.hypot(re, im) / (j < turns ? 0.5 : 0.3 * size));
      }
    }
    const scale = amplitude / largest;
    this.real = this.real.map((x) => scale * x);
    this.imaginary = this.imaginary.map((x) => scale * x);
  }

  poses(t: number, out: Float64Array): void {
    const grow = Math.exp(Math.max(-30, this.growth * (this.growth > 0 ? t - this.duration : t)));
    const c = grow * Math.cos(this.frequency * t);
    const s = grow * Math.sin(this.frequency * t);
    const along = (k: number): number => c * this.real[k] - s * this.imaginary[k];
    let column = 0;
    let k = 0;
    for (let i = 0; i < this.model.bodies.length; ++i) {
      const at = 7 * i;
      const rigid = !this.model.bodies[i].point_mass;
      out.fill(0, at + 3, at + 6);
      out[at + 6] = 1;
      for (let j = 0; j < (rigid ? 7 : 3); ++j) out[at + j] = this.table.columns[column++].values[this.point];
      if (rigid) {
        turn(out, at + 3, along(k), along(k + 1), along(k + 2), false);
        k += 3;
      }
      for (let j = 0; j < 3; ++j) out[at + j] += along(k++);
    }
  }
}

export function place(poses: Float64Array, body: number, p: readonly number[], out: number[]): number[] {
  if (body < 0) {
    out[0] = p[0];
    out[1] = p[1];
    out[2] = p[2];
    return out;
  }
  const at = 7 * body;
  const [x, y, z, w] = [poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]];
  const tx = 2 * (y * p[2] - z * p[1]);
  const ty = 2 * (z * p[0] - x * p[2]);
  const tz = 2 * (x * p[1] - y * p[0]);
  out[0] = poses[at] + p[0] + w * tx + y * tz - z * ty;
  out[1] = poses[at + 1] + p[1] + w * ty + z * tx - x * tz;
  out[2] = poses[at + 2] + p[2] + w * tz + x * ty - y * tx;
  return out;
}

// The mass centre of the whole; of the bodies alike when they have no mass.
export function massCentre(model: Model, poses: Float64Array, out = new Vector3()): Vector3 {
  const massless = !model.bodies.some(({ mass }) => mass > 0);
  let sum = 0;
  out.set(0, 0, 0);
  model.bodies.forEach((body, i) => {
    const mass = massless ? 1 : body.mass;
    sum += mass;
    out.x += mass * poses[7 * i];
    out.y += mass * poses[7 * i + 1];
    out.z += mass * poses[7 * i + 2];
  });
  return sum > 0 ? out.divideScalar(sum) : out;
}
