// How to look at a machine: its size, the height of its ground, from where, and whether to go along with it.
import * as THREE from "three";
import type { Model } from "../data";
import { massCentre, type PoseSource, place } from "../poses";
import { pinned, worldPoints } from "./held";
import { around, outline } from "./shapes";
import { axesOf, range } from "./stage";
import { attachments } from "./tubes";

export interface Framing {
  size: number; // a length that goes with the machine
  points: THREE.Vector3[]; // to be seen, as from the camera at the start
  direction: THREE.Vector3; // towards the camera
  ground: number;
  grounded: boolean; // its ground is near enough to be seen
  follow: boolean;
}

// Points that stand for the extent of every body, in its axes. Without a shape it is drawn by the size of the machine.
function extents(model: Model, size: number): THREE.Vector3[][] {
  return model.bodies.map((body, i) => {
    const points = [...attachments(model, i), ...body.shapes.flatMap(outline)];
    if (body.shapes.length === 0) {
      const wide = points.some((point) => point.length() > 1e-6 * model.length) ? 0.02 : 0.06;
      const ends = [new THREE.Vector3(), ...points.splice(0)];
      points.push(...ends.flatMap((end) => around(wide * size).map((point) => point.add(end))));
    }
    for (const { carries_load, second, radius } of model.constraints)
      if (carries_load && second?.body === i) points.push(...around(radius ?? 0));
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

// The points of all bodies at many times, and how far the mass centre has gone until then.
interface Seen {
  points: THREE.Vector3[];
  gone: THREE.Vector3;
}
function wayOf(model: Model, source: PoseSource, from: number, to: number, size = 0): Seen[] {
  const local = extents(model, size).map((points) => points.map((point) => point.toArray()));
  const count = local.reduce((sum, points) => sum + points.length, 0);
  const samples = to > from ? Math.round(Math.min(240, Math.max(40, 60_000 / Math.max(1, count)))) : 1;
  const poses = new Float64Array(7 * model.bodies.length);
  const start = new THREE.Vector3();
  const way: Seen[] = [];
  for (let s = 0; s < samples; ++s) {
    source.poses(from + ((to - from) * s) / Math.max(1, samples - 1), poses);
    if (!poses.every(Number.isFinite)) continue; // what overflowed is nowhere
    const gone = massCentre(model, poses);
    if (way.length === 0) start.copy(gone);
    const points = local.flatMap((list, body) =>
      list.map((point) => new THREE.Vector3().fromArray(place(poses, body, point, [0, 0, 0]))),
    );
    way.push({ points, gone: gone.sub(start) });
  }
  return way;
}

const aspect = 1.3; // of a usual picture

// The part of one side of the picture that the machine fills at its smallest, when all of its way is there.
function leastFill(way: Seen[], held: THREE.Vector3[], direction: THREE.Vector3): number {
  const { right, up } = axesOf(direction);
  const side = (points: THREE.Vector3[]): number => {
    const along = (axis: THREE.Vector3): number => {
      const [low, high] = range(points, (point) => point.dot(axis));
      return high - low;
    };
    return Math.max(along(right) / aspect, along(up));
  };
  const whole = side([...way.flatMap(({ points }) => points), ...held]);
  return whole > 0 ? Math.min(...way.map(({ points }) => side([...points, ...held]) / whole)) : 1;
}

// What is followed has nothing beside it that stays: it is seen from the camera that moves with its mass centre.
export function pointsOf(
  model: Model,
  source: PoseSource,
  from: number,
  to: number,
  { follow, size }: Pick<Framing, "follow" | "size">,
): THREE.Vector3[] {
  const way = wayOf(model, source, from, to, size);
  if (follow) return way.flatMap(({ points, gone }) => points.map((point) => point.sub(gone)));
  return [...way.flatMap(({ points }) => points), ...heldBy(model)];
}
const heldBy = (model: Model): THREE.Vector3[] => worldPoints(model).map((each) => new THREE.Vector3(...each));

export function frameOf(model: Model, source: PoseSource, from: number, to: number): Framing {
  const way = wayOf(model, source, from, to);
  const held = heldBy(model);
  const first = new THREE.Box3().setFromPoints([...(way[0]?.points ?? []), ...held]);
  if (first.isEmpty()) first.expandByPoint(new THREE.Vector3());
  const whole = first.clone();
  for (const { points } of way) for (const point of points) whole.expandByPoint(point);
  const extent = (box: THREE.Box3): number => box.getSize(new THREE.Vector3()).length() / 2;
  const own = Math.max(extent(first), 1e-3 * model.length);
  const direction = viewDirection(model);
  // What goes far away is followed; what is tied to the world only when it runs away all the same.
  const follow =
    extent(whole) > (pinned(model) ? 30 : 1.2) * own && leastFill(way, pinned(model) ? held : [], direction) < 0.4;
  const size = follow ? 1.7 * own : Math.max(1.5 * own, extent(whole));
  const plane = model.constraints.find((each) => each.carries_load && each.first && each.first.body < 0);
  const ground = plane?.first ? plane.first.p[2] : whole.min.z - 0.08 * size;
  const points = pointsOf(model, source, from, to, { follow, size });
  if (points.length === 0)
    points.push(...[-1, 1].map((side) => new THREE.Vector3(side, side, side).multiplyScalar(model.length)));
  return { size, points, direction, ground, grounded: first.min.z - ground < 4 * size, follow };
}
