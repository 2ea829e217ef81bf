// How to look at a machine: its size, the height of its ground, from where, and whether to go along with it.
import * as THREE from "three";
import type { Model } from "../data";
import { type PoseSource, place } from "../poses";
import { pinned, worldPoints } from "./held";
import { attachments } from "./tubes";

export interface Framing {
  size: number; // a length that goes with the machine
  points: THREE.Vector3[]; // to be seen, at the start
  centre: THREE.Vector3; // to look at, at the start
  direction: THREE.Vector3; // towards the camera
  ground: number;
  grounded: boolean; // its ground is near enough to be seen
  follow: boolean;
}

// Points that stand for the extent of every body, in its axes.
function extents(model: Model): THREE.Vector3[][] {
  return model.bodies.map((body, i) => {
    const points = [new THREE.Vector3(), ...attachments(model, i)];
    for (const shape of body.shapes) {
      const centre = new THREE.Vector3(...shape.p);
      const half = shape.size
        ? new THREE.Vector3(...shape.size).multiplyScalar(shape.kind === "box" ? 0.5 : 1)
        : new THREE.Vector3(1, 1, 1).multiplyScalar(0.7 * (shape.radius ?? 0));
      if (shape.length && shape.axis)
        for (const side of [-0.5, 0.5])
          points.push(centre.clone().addScaledVector(new THREE.Vector3(...shape.axis), side * shape.length));
      for (let k = 0; k < 8; ++k)
        points.push(
          centre
            .clone()
            .add(new THREE.Vector3(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z)),
        );
    }
    for (const each of model.constraints)
      if (each.carries_load && each.second?.body === i)
        for (let k = 0; k < 6; ++k)
          points.push(new THREE.Vector3().setComponent(k % 3, (k < 3 ? 1 : -1) * (each.radius ?? 0)));
    return points;
  });
}

// The common axis of all joints that have one; none where they differ or there are none.
function planeNormal(model: Model): THREE.Vector3 | undefined {
  let normal: THREE.Vector3 | undefined;
  for (const joint of model.joints) {
    if (joint.type !== "revolute" && joint.type !== "planar") continue;
    const start =
      joint.first.body < 0 ? new THREE.Quaternion() : new THREE.Quaternion(...model.bodies[joint.first.body].q);
    const axis = new THREE.Vector3(0, 0, 1)
      .applyQuaternion(new THREE.Quaternion(...joint.first.q))
      .applyQuaternion(start);
    if (normal && Math.abs(normal.dot(axis)) < 0.999) return undefined;
    normal = axis;
  }
  return normal;
}

function viewDirection(model: Model): THREE.Vector3 {
  const normal = planeNormal(model);
  if (normal && Math.abs(normal.z) > 0.9) return new THREE.Vector3(0.25, -0.85, 1.05);
  if (normal) {
    const side = normal.y > 0 || (normal.y === 0 && normal.x > 0) ? -1 : 1;
    const across = new THREE.Vector3(0, 0, 1).cross(normal).multiplyScalar(side);
    return normal
      .clone()
      .multiplyScalar(side)
      .addScaledVector(across, 0.38)
      .add(new THREE.Vector3(0, 0, 0.3));
  }
  return new THREE.Vector3(0.62, -1, 0.42);
}

export function frameOf(model: Model, source: PoseSource, from: number, to: number): Framing {
  const local = extents(model);
  const poses = new Float64Array(7 * model.bodies.length);
  const samples = to > from ? 60 : 1;
  const atStart: THREE.Vector3[] = [];
  const always: THREE.Vector3[] = [];
  const whole = new THREE.Box3();
  const first = new THREE.Box3();
  const point = [0, 0, 0];
  const v = new THREE.Vector3();
  let lowest = Infinity;
  for (let s = 0; s < samples; ++s) {
    source.poses(from + ((to - from) * s) / Math.max(1, samples - 1), poses);
    local.forEach((points, body) => {
      for (const p of points) {
        place(poses, body, p.toArray(), point);
        v.set(point[0], point[1], point[2]);
        whole.expandByPoint(v);
        always.push(v.clone());
        if (s === 0) first.expandByPoint(v);
        if (s === 0) atStart.push(v.clone());
        lowest = Math.min(lowest, v.z);
      }
    });
  }
  const held = worldPoints(model).map((each) => new THREE.Vector3(...each));
  for (const v of held) {
    whole.expandByPoint(v);
    first.expandByPoint(v);
  }
  if (first.isEmpty()) first.expandByPoint(new THREE.Vector3());
  if (whole.isEmpty()) whole.copy(first);
  const extent = (box: THREE.Box3): number => box.getSize(new THREE.Vector3()).length() / 2;
  const own = Math.max(extent(first), 1e-3 * model.length);
  const follow = extent(whole) > 2.6 * own && !pinned(model);
  const seen = follow ? first : whole;
  const radius = Math.max(extent(seen), 1e-3 * model.length);
  const size = follow ? 1.7 * own : Math.max(1.5 * own, radius);
  const plane = model.constraints.find((each) => each.carries_load && each.first && each.first.body < 0);
  const ground = plane?.first
    ? plane.first.p[2]
    : (Number.isFinite(lowest) ? Math.min(lowest, whole.min.z) : 0) - 0.08 * size;
  const most = 3000;
  const moving = follow ? atStart : always.filter((_, i) => i % Math.ceil(always.length / most) === 0);
  const all = [...moving, ...held];
  const points =
    all.length > 0
      ? all
      : [new THREE.Vector3(-1, -1, 0), new THREE.Vector3(1, 1, 1)].map((each) => each.multiplyScalar(model.length));
  // What moves away is seen with a little of its way.
  if (follow)
    points.forEach((point) =>
      point
        .sub(first.getCenter(v))
        .multiplyScalar(model.bodies.length > 1 ? 1.1 : 1.4)
        .add(first.getCenter(v)),
    );
  return {
    size,
    points,
    centre: seen.getCenter(new THREE.Vector3()),
    direction: viewDirection(model),
    ground,
    grounded: first.min.z - ground < 4 * size, // what falls and falls has none
    follow,
  };
}
