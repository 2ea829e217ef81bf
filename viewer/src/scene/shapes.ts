// What a body looks like. Solids of revolution carry sectors of two tones, so that one sees them turn.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Shape } from "../data";

export const palette = ["#3f7cac", "#e07a3f", "#4b9b74", "#a8577e", "#7d6fc0", "#c49a2c", "#4aa3b0", "#7b838c"];

const z = new THREE.Vector3(0, 0, 1);

export function material(color: THREE.ColorRepresentation, more: THREE.MeshStandardMaterialParameters = {}) {
  return new THREE.MeshStandardMaterial({ color, roughness: 0.5, metalness: 0, ...more });
}

export function mesh(geometry: THREE.BufferGeometry, of: THREE.Material): THREE.Mesh {
  const result = new THREE.Mesh(geometry, of);
  result.castShadow = true;
  result.receiveShadow = true;
  return result;
}

// Triangles by their azimuth about z: every second sector a little darker.
function sectors(geometry: THREE.BufferGeometry, count: number): THREE.BufferGeometry {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry;
  const position = flat.getAttribute("position");
  const colors = new Float32Array(position.count * 3);
  for (let i = 0; i < position.count; i += 3) {
    const x = position.getX(i) + position.getX(i + 1) + position.getX(i + 2);
    const y = position.getY(i) + position.getY(i + 1) + position.getY(i + 2);
    const sector = Math.floor(((Math.atan2(y, x) / (2 * Math.PI) + 1) * count) % count);
    colors.fill(sector % 2 === 0 ? 1 : 0.72, 3 * i, 3 * i + 9);
  }
  flat.setAttribute("color", new THREE.BufferAttribute(colors, 3));
  return flat;
}

function tinted(geometry: THREE.BufferGeometry, count: number, color: string): THREE.Mesh {
  return mesh(sectors(geometry, count), material(color, { vertexColors: true }));
}

// Along z, about the origin.
function upright(radius: number, length: number, segments = 40): THREE.BufferGeometry {
  return new THREE.CylinderGeometry(radius, radius, length, segments).rotateX(Math.PI / 2);
}

function capsule(radius: number, length: number): THREE.BufferGeometry {
  return new THREE.CapsuleGeometry(radius, Math.max(1e-9 * length, length - 2 * radius), 8, 20).rotateX(Math.PI / 2);
}

export function between(a: THREE.Vector3, b: THREE.Vector3, radius: number, of: THREE.Material): THREE.Mesh {
  const along = b.clone().sub(a);
  const tube = mesh(new THREE.CapsuleGeometry(radius, along.length(), 6, 18).rotateX(Math.PI / 2), of);
  tube.position.copy(a).addScaledVector(along, 0.5);
  tube.quaternion.setFromUnitVectors(z, along.normalize());
  return tube;
}

// A wheel: tyre, rim, hub and spokes, with two reflectors that show how far it has turned.
export function wheel(radius: number, color: string): THREE.Group {
  const group = new THREE.Group();
  const tyre = 0.045 * radius;
  group.add(mesh(new THREE.TorusGeometry(radius - tyre, tyre, 16, 96), material(color, { roughness: 0.8 })));
  const metal = material("#c3cad2", { roughness: 0.3, metalness: 0.1 });
  group.add(mesh(new THREE.TorusGeometry(radius - 2.3 * tyre, 0.45 * tyre, 10, 96), metal));
  group.add(mesh(upright(0.07 * radius, 0.22 * radius, 24), metal));
  const spokes: THREE.BufferGeometry[] = [];
  const count = 20;
  const reach = radius - 2.3 * tyre;
  for (let i = 0; i < count; ++i) {
    const angle = (2 * Math.PI * i) / count;
    const side = (i % 2 === 0 ? 1 : -1) * 0.09 * radius;
    const hub = new THREE.Vector3(0.06 * radius * Math.cos(angle), 0.06 * radius * Math.sin(angle), side);
    const rim = new THREE.Vector3(reach * Math.cos(angle + 0.12), reach * Math.sin(angle + 0.12), 0);
    const along = rim.clone().sub(hub);
    const spoke = upright(0.009 * radius, along.length(), 6);
    spoke.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(z, along.clone().normalize()));
    spoke.translate(...hub.addScaledVector(along, 0.5).toArray());
    spokes.push(spoke);
  }
  group.add(mesh(mergeGeometries(spokes), metal));
  const amber = material("#f2a33a", { roughness: 0.35, emissive: "#7a4308", emissiveIntensity: 0.35 });
  for (const angle of [0.5, 0.5 + Math.PI]) {
    const reflector = mesh(
      new RoundedBoxGeometry(0.16 * radius, 0.05 * radius, 0.05 * radius, 2, 0.02 * radius),
      amber,
    );
    reflector.position.set(0.66 * radius * Math.cos(angle), 0.66 * radius * Math.sin(angle), 0);
    reflector.rotation.z = angle;
    group.add(reflector);
  }
  return group;
}

function disc(radius: number, color: string): THREE.Group {
  const group = new THREE.Group();
  const edge = 0.03 * radius;
  group.add(tinted(upright(radius - edge, 0.8 * edge, 96), 12, color));
  group.add(mesh(new THREE.TorusGeometry(radius - edge, edge, 14, 96), material(color, { roughness: 0.35 })));
  group.add(mesh(upright(0.06 * radius, 4 * edge, 24), material("#d4d9de", { roughness: 0.3, metalness: 0.1 })));
  return group;
}

function solid(shape: Shape, color: string): THREE.Object3D {
  const radius = shape.radius ?? 0.1;
  const length = shape.length ?? 1;
  const size = shape.size ?? [1, 1, 1];
  switch (shape.kind) {
    case "sphere":
      return tinted(new THREE.SphereGeometry(radius, 48, 32).rotateX(Math.PI / 2), 8, color);
    case "ellipsoid":
      return mesh(
        sectors(new THREE.SphereGeometry(1, 48, 32).rotateX(Math.PI / 2), 8).scale(...size),
        material(color, { vertexColors: true }),
      );
    case "box":
      return mesh(new RoundedBoxGeometry(...size, 3, 0.08 * Math.min(...size)), material(color));
    case "cylinder":
      if (length > 4 * radius) return mesh(upright(radius, length, 28), material(color));
      return tinted(upright(radius, length, 72), 12, color);
    case "rod":
      return mesh(capsule(0.025 * length, length), material(color));
    case "disc":
      return disc(radius, color);
    case "ring":
      return wheel(radius, color);
  }
}

export function shapeObject(shape: Shape, otherwise: string): THREE.Object3D {
  const result = solid(shape, shape.color ?? otherwise);
  const holder = new THREE.Group();
  holder.add(result);
  holder.position.set(...shape.p);
  if (shape.axis) holder.quaternion.setFromUnitVectors(z, new THREE.Vector3(...shape.axis).normalize());
  return holder;
}

// Points about the origin that have a ball of this radius between them.
export function around(radius: number): THREE.Vector3[] {
  const points: THREE.Vector3[] = [];
  for (let k = 0; k < 27; ++k) {
    const point = new THREE.Vector3((k % 3) - 1, (Math.floor(k / 3) % 3) - 1, Math.floor(k / 9) - 1);
    if (k !== 13) points.push(point.setLength(1.04 * radius));
  }
  return points;
}

// Points that have the shape between them, in the axes of its body.
export function outline(shape: Shape): THREE.Vector3[] {
  const { kind, radius = 0, length = 0, size = [0, 0, 0] } = shape;
  let points: THREE.Vector3[] = [];
  if (kind === "sphere") points = around(radius);
  else if (kind === "ellipsoid") points = around(1).map((point) => point.multiply(new THREE.Vector3(...size)));
  else if (kind === "box")
    for (let k = 0; k < 8; ++k)
      points.push(
        new THREE.Vector3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1).multiply(
          new THREE.Vector3(...size).multiplyScalar(0.5),
        ),
      );
  else {
    const wide = kind === "rod" ? 0.025 * length : radius;
    for (const side of kind === "disc" || kind === "ring" ? [0] : [-0.5, 0.5])
      for (let k = 0; k < 16; ++k) {
        const angle = (Math.PI * k) / 8;
        points.push(new THREE.Vector3(1.02 * wide * Math.cos(angle), 1.02 * wide * Math.sin(angle), side * length));
      }
    if (shape.axis) {
      const turn = new THREE.Quaternion().setFromUnitVectors(z, new THREE.Vector3(...shape.axis).normalize());
      for (const point of points) point.applyQuaternion(turn);
    }
  }
  return points.map((point) => point.add(new THREE.Vector3(...shape.p)));
}

export function dispose(object: THREE.Object3D): void {
  object.traverse((each) => {
    if (!(each instanceof THREE.Mesh)) return;
    each.geometry.dispose();
    for (const one of Array.isArray(each.material) ? each.material : [each.material]) one.dispose();
  });
}
