// What the world holds: points of it that belong into the picture.
import type { Model, Place, Vec } from "../data";

const inWorld = (ends: (Place | undefined)[]): Vec[] =>
  ends.filter((end): end is Place => end !== undefined && end.body < 0).map((end) => end.p);

// Ends of sticks, ropes and springs, which have no other mark there.
export function anchors(model: Model): Vec[] {
  return [
    ...model.constraints
      .filter(({ type }) => type === "distance" || type === "rope")
      .flatMap(({ first, second }) => inWorld([first, second])),
    ...model.forces
      .filter(({ type, points }) => type === "spring_damper" && points.length === 2)
      .flatMap(({ points }) => inWorld(points)),
  ];
}
// All of them: where joints and guides are, too. What rolls may touch the world anywhere.
export function worldPoints(model: Model): Vec[] {
  return [
    ...model.joints.flatMap(({ first, second }) => inWorld([first, second])),
    ...model.constraints
      .filter(({ carries_load }) => !carries_load)
      .flatMap(({ first, second }) => inWorld([first, second])),
    ...anchors(model),
  ];
}
// A machine that is tied to a point of the world does not run away.
export function pinned(model: Model): boolean {
  const tied = ["revolute", "spherical", "universal", "fixed"];
  return (
    model.joints.some(({ type, first, second }) => tied.includes(type) && (first.body < 0 || second.body < 0)) ||
    anchors(model).length > 0
  );
}
