// Marks on the machine: joint axes, frames, mass centres, constraint points, links and springs.
import * as THREE from "three";
import type { Constraint, Joint, Model, Place } from "../data";
import { place } from "../poses";

const plain = (color: string): THREE.MeshStandardMaterial => new THREE.MeshStandardMaterial({ color, roughness: 0.45 });

function cylinder(radius: number, length: number, paint: THREE.Material): THREE.Mesh {
  return new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, length, 20).rotateX(Math.PI / 2), paint);
}

const guides = ["planar", "free", "translational"];

// Along its axis a pin, at a ball a ball; for what slides a longer and thinner line.
export function jointMark(joint: Joint, at: THREE.Vector3, length: number, size: number): THREE.Object3D {
  const group = new THREE.Group();
  const steel = plain("#3a424b");
  if (guides.includes(joint.type)) return group; // nothing to see: a plane, or no joint at all
  if (joint.type === "spherical" || joint.type === "universal") {
    group.add(new THREE.Mesh(new THREE.SphereGeometry(0.022 * size, 24, 16), steel));
  } else if (joint.type === "prismatic" || joint.type === "cylindrical") {
    group.add(cylinder(0.007 * size, 1.5 * size, plain("#8a949e")));
  } else if (joint.has_axis) {
    group.add(cylinder(0.013 * size, length + 0.058 * size, steel));
  } else {
    group.add(new THREE.Mesh(new THREE.BoxGeometry(0.03 * size, 0.03 * size, 0.03 * size), steel));
  }
  group.position.copy(at);
  group.quaternion.set(...joint.first.q);
  group.traverse((each) => (each.castShadow = true));
  return group;
}

export function axisMark(joint: Joint, at: THREE.Vector3, size: number): THREE.Object3D {
  const line = cylinder(0.004 * size, 0.5 * size, plain("#b4471f"));
  line.position.copy(at);
  line.quaternion.set(...joint.first.q);
  return line;
}

export function frameMark(size: number): THREE.Object3D {
  const group = new THREE.Group();
  ["#d64545", "#3a9d4a", "#3b6fd4"].forEach((color, i) => {
    const axis = cylinder(0.006 * size, 0.18 * size, plain(color));
    axis.translateZ(0.09 * size);
    const holder = new THREE.Group();
    holder.add(axis);
    if (i === 0) holder.rotation.y = Math.PI / 2;
    if (i === 1) holder.rotation.x = -Math.PI / 2;
    group.add(holder);
  });
  return group;
}

// The sign of a mass centre: a ball in four quarters, black and white.
export function centreMark(size: number): THREE.Object3D {
  const group = new THREE.Group();
  for (let i = 0; i < 8; ++i) {
    const dark = (i + (i >= 4 ? 1 : 0)) % 2 === 0;
    const part = new THREE.SphereGeometry(
      0.028 * size,
      12,
      8,
      ((i % 4) * Math.PI) / 2,
      Math.PI / 2,
      i < 4 ? 0 : Math.PI / 2,
      Math.PI / 2,
    );
    const mesh = new THREE.Mesh(
      part,
      new THREE.MeshBasicMaterial({ color: dark ? "#15181c" : "#ffffff", depthTest: false }),
    );
    mesh.renderOrder = 3;
    group.add(mesh);
  }
  return group;
}

// Where the world holds a stick or a rope.
export function anchorMark(size: number): THREE.Mesh {
  const mark = new THREE.Mesh(new THREE.SphereGeometry(0.016 * size, 20, 14), plain("#3a424b"));
  mark.castShadow = true;
  return mark;
}

export function pointMark(size: number): THREE.Mesh {
  const mark = new THREE.Mesh(new THREE.OctahedronGeometry(0.02 * size), plain("#7d4cc2"));
  mark.castShadow = true;
  return mark;
}

// What a point is guided along: a circle or a line, fixed to the first body.
export function guideMark(constraint: Constraint, size: number): THREE.Object3D | undefined {
  const steel = plain("#8a949e");
  if (constraint.type === "point_on_circle")
    return new THREE.Mesh(new THREE.TorusGeometry(constraint.radius ?? size, 0.008 * size, 10, 120), steel);
  if (constraint.type === "point_on_line") return cylinder(0.007 * size, 3 * size, steel);
  return undefined;
}

// Something drawn from one moving point to another: a stick, a rope, a spring.
export class Link {
  readonly object: THREE.Mesh;
  private readonly a = [0, 0, 0];
  private readonly b = [0, 0, 0];
  private readonly along = new THREE.Vector3();

  constructor(
    private readonly first: Place,
    private readonly second: Place,
    kind: "stick" | "rope" | "spring",
    private readonly size: number,
  ) {
    const color = kind === "spring" ? "#b8860b" : kind === "rope" ? "#8a6d4b" : "#68737e";
    const geometry =
      kind === "spring"
        ? coil(0.03 * size, 0.006 * size)
        : new THREE.CylinderGeometry(0.007 * size, 0.007 * size, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.object = new THREE.Mesh(geometry, plain(color));
    this.object.castShadow = true;
  }
  update(poses: Float64Array): void {
    place(poses, this.first.body, this.first.p, this.a);
    place(poses, this.second.body, this.second.p, this.b);
    this.along.set(this.b[0] - this.a[0], this.b[1] - this.a[1], this.b[2] - this.a[2]);
    const length = this.along.length();
    this.object.position.set(this.a[0], this.a[1], this.a[2]);
    this.object.visible = length > 1e-9 * this.size;
    if (!this.object.visible) return;
    this.object.scale.set(1, 1, length);
    this.object.quaternion.setFromUnitVectors(up, this.along.divideScalar(length));
  }
}
const up = new THREE.Vector3(0, 0, 1);

class Helix extends THREE.Curve<THREE.Vector3> {
  constructor(private readonly radius: number) {
    super();
  }
  getPoint(t: number, out = new THREE.Vector3()): THREE.Vector3 {
    const ends = Math.min(1, Math.min(t, 1 - t) / 0.08);
    const angle = 2 * Math.PI * 9 * t;
    return out.set(this.radius * ends * Math.cos(angle), this.radius * ends * Math.sin(angle), t);
  }
}
function coil(radius: number, wire: number): THREE.BufferGeometry {
  return new THREE.TubeGeometry(new Helix(radius), 160, wire, 6);
}

export function links(model: Model, size: number): Link[] {
  const result: Link[] = [];
  for (const { type, first, second } of model.constraints)
    if (first && second && (type === "distance" || type === "rope"))
      result.push(new Link(first, second, type === "rope" ? "rope" : "stick", size));
  for (const force of model.forces)
    if (force.type === "spring_damper" && force.points.length === 2)
      result.push(new Link(force.points[0], force.points[1], "spring", size));
  return result;
}
