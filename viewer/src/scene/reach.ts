// Where the picture of a body is met: by a joint, a stick, a spring.
import * as THREE from "three";
import type { Joint, Model, Place, Shape } from "../data";

const z = new THREE.Vector3(0, 0, 1);

// The point of a shape that is nearest to another, both in the axes of its body.
function nearestOn(shape: Shape, to: THREE.Vector3): THREE.Vector3 {
  const { kind, radius = 0, length = 0, size = [0, 0, 0] } = shape;
  const turn = new THREE.Quaternion();
  if (shape.axis) turn.setFromUnitVectors(z, new THREE.Vector3(...shape.axis).normalize());
  const centre = new THREE.Vector3(...shape.p);
  const p = to.clone().sub(centre).applyQuaternion(turn.clone().invert());
  if (kind === "sphere") p.clampLength(0, radius);
  else if (kind === "ellipsoid") p.divideScalar(Math.max(1, Math.hypot(p.x / size[0], p.y / size[1], p.z / size[2])));
  else if (kind === "box") {
    const half = new THREE.Vector3(...size).divideScalar(2);
    p.clamp(half.clone().negate(), half);
  } else {
    const wide = kind === "rod" ? 0.025 * length : radius;
    const half = kind === "disc" || kind === "ring" ? 0.03 * radius : length / 2;
    const outside = Math.max(1, Math.hypot(p.x, p.y) / wide);
    p.set(p.x / outside, p.y / outside, Math.min(half, Math.max(-half, p.z)));
  }
  return p.applyQuaternion(turn).add(centre);
}

// The same of all that a body is drawn by: without a shape of its mass centre.
export function nearestOf(model: Model, body: number, to: THREE.Vector3): THREE.Vector3 {
  const all = model.bodies[body].shapes.map((shape) => nearestOn(shape, to));
  return all.reduce((a, b) => (b.distanceTo(to) < a.distanceTo(to) ? b : a), all[0] ?? new THREE.Vector3());
}

const hasPoint = ({ has_axis, type }: Joint): boolean => !has_axis || type === "planar";

// Where a joint meets a body, in its axes. It may be given anywhere on its axis: the part is at the point of the axis
// that is nearest to the picture, which is found from either to the other in turn.
export function meeting(model: Model, joint: Joint, { body, p, q }: Place): THREE.Vector3 {
  const given = new THREE.Vector3(...p);
  if (hasPoint(joint) || body < 0) return given;
  const axis = z.clone().applyQuaternion(new THREE.Quaternion(...q));
  const foot = (of: THREE.Vector3): THREE.Vector3 =>
    given.clone().addScaledVector(axis, of.clone().sub(given).dot(axis));
  if (model.bodies[body].shapes.length === 0) return foot(new THREE.Vector3());
  let at = given;
  for (let k = 0; k < 60; ++k) at = foot(nearestOf(model, body, at));
  return at;
}

// A pin: its middle, in the axes of the first body, and how far apart it meets the two bodies.
export function pinOf(model: Model, joint: Joint): { at: THREE.Vector3; length: number } {
  const { first, second } = joint;
  const given = new THREE.Vector3(...first.p);
  if (hasPoint(joint)) return { at: given, length: 0 };
  const along = ({ p, q }: Place, at: THREE.Vector3): number =>
    at
      .clone()
      .sub(new THREE.Vector3(...p))
      .dot(z.clone().applyQuaternion(new THREE.Quaternion(...q)));
  // Both frames have one axis, and in the start one origin but for what slides.
  const places = [first, second]
    .filter(({ body }) => body >= 0)
    .map((each) => along(each, meeting(model, joint, each)));
  const [low, high] = [Math.min(...places), Math.max(...places)];
  const axis = z.clone().applyQuaternion(new THREE.Quaternion(...first.q));
  return { at: given.addScaledVector(axis, (low + high) / 2), length: high - low };
}
