// Bodies without a shape: tubes between the points where joints and constraints hold them, and their mass centre.
import * as THREE from "three";
import type { Model } from "../data";
import { meeting, nearestOf } from "./reach";
import { between, material, mesh, wheel } from "./shapes";

const start = (model: Model, body: number): THREE.Matrix4 =>
  body < 0
    ? new THREE.Matrix4()
    : new THREE.Matrix4().compose(
        new THREE.Vector3(...model.bodies[body].p),
        new THREE.Quaternion(...model.bodies[body].q),
        new THREE.Vector3(1, 1, 1),
      );

// Where joints, sticks and springs hold a body, in its axes from its mass centre.
export function attachments(model: Model, body: number): THREE.Vector3[] {
  const points: THREE.Vector3[] = [];
  const add = (point: THREE.Vector3): void => {
    if (!points.some((other) => other.distanceTo(point) < 1e-6 * model.length)) points.push(point);
  };
  const into = start(model, body).invert();
  for (const joint of model.joints) {
    if (["planar", "free", "translational"].includes(joint.type) && model.bodies[body].shapes.length > 0) continue;
    for (const [own, other] of [
      [joint.first, joint.second],
      [joint.second, joint.first],
    ]) {
      if (own.body !== body) continue;
      add(meeting(model, joint, own));
      // Of two parts without a shape that are held at different points of the axis the second carries the pin.
      const bare = own.body >= 0 && other.body >= 0 && model.bodies[own.body].shapes.length === 0;
      if (bare && own === joint.second)
        add(meeting(model, joint, other).applyMatrix4(start(model, other.body)).applyMatrix4(into));
    }
  }
  for (const constraint of model.constraints)
    for (const end of [constraint.first, constraint.second])
      if (end && end.body === body && !constraint.carries_load) add(new THREE.Vector3(...end.p));
  for (const force of model.forces)
    for (const end of force.points) if (end.body === body && force.type !== "force") add(new THREE.Vector3(...end.p));
  return points;
}

export function tubes(model: Model, body: number, color: string, size: number): THREE.Object3D {
  const group = new THREE.Group();
  const radius = 0.014 * size;
  const paint = material(color, { roughness: 0.4 });
  const ball = (at: THREE.Vector3, r: number): void => {
    const one = mesh(new THREE.SphereGeometry(r, 28, 18), paint);
    one.position.copy(at);
    group.add(one);
  };
  const rolling = model.constraints.find((each) => each.carries_load && each.second?.body === body);
  if (rolling?.second) {
    const one =
      rolling.type === "wheel"
        ? wheel(rolling.radius ?? size, color)
        : mesh(new THREE.SphereGeometry(rolling.radius ?? size, 40, 28), paint);
    one.quaternion.set(...rolling.second.q);
    group.add(one);
    return group;
  }
  if (model.bodies[body].point_mass) {
    ball(new THREE.Vector3(), 0.035 * size);
    return group;
  }
  const centre = new THREE.Vector3();
  const points = attachments(model, body).filter((point) => point.length() > 1e-6 * model.length);
  if (points.length === 0) {
    group.add(mesh(new THREE.IcosahedronGeometry(0.06 * size, 1), paint));
    return group;
  }
  // Balls of neighbours may meet in one point: of unequal size, so that one of them is seen.
  for (const point of points) ball(point, (1.2 + 0.14 * (body % 3)) * radius);
  if (points.length === 2) {
    const [a, b] = points;
    group.add(between(a, b, radius, paint));
    const foot = new THREE.Line3(a, b).closestPointToPoint(centre, true, new THREE.Vector3());
    if (foot.length() < 0.1 * a.distanceTo(b)) return group;
  }
  for (const point of points) group.add(between(point, centre, radius, paint));
  ball(centre, 1.4 * radius);
  return group;
}

// Arms from the picture of a body to what holds it elsewhere.
export function arms(model: Model, body: number, color: string, size: number): THREE.Object3D[] {
  if (model.bodies[body].shapes.length === 0) return [];
  const paint = material(color, { roughness: 0.4 });
  return attachments(model, body)
    .map((point) => ({ point, from: nearestOf(model, body, point) }))
    .filter(({ point, from }) => point.distanceTo(from) > 0.012 * size)
    .map(({ point, from }) => between(from, point, 0.009 * size, paint));
}
