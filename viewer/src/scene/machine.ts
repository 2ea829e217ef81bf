// The machine in the scene: every body with its marks, moved to where it is at a time.
import * as THREE from "three";
import type { Model } from "../data";
import { massCentre, type PoseSource, place } from "../poses";
import { anchors } from "./held";
import { type Labelled, Labels } from "./labels";
import {
  anchorMark,
  axisMark,
  centreMark,
  frameMark,
  guideMark,
  jointMark,
  type Link,
  links,
  pointMark,
} from "./marks";
import { pinOf } from "./reach";
import { palette, shapeObject } from "./shapes";
import type { Theme } from "./stage";
import { arms, tubes } from "./tubes";

export interface Thing {
  kind: "body" | "joint" | "constraint";
  index: number;
}
export const same = (a: Thing | undefined, b: Thing | undefined): boolean =>
  a?.kind === b?.kind && a?.index === b?.index;

export class Machine {
  readonly group = new THREE.Group();
  readonly labels = new Labels();
  readonly poses: Float64Array;
  readonly colors: string[];
  // Marks by kind, to be shown and hidden together.
  readonly marks = {
    joints: [] as THREE.Object3D[],
    axes: [] as THREE.Object3D[],
    frames: [] as THREE.Object3D[],
    centres: [] as THREE.Object3D[],
    points: [] as THREE.Object3D[],
  };
  readonly anchors: THREE.Object3D[]; // where the world holds a stick, a rope or a spring
  private readonly bodies: THREE.Group[] = [];
  private readonly ground = new THREE.Group(); // marks fixed to the world
  private readonly links: Link[];
  private readonly pickable: THREE.Object3D[] = [];
  private selected?: Thing;

  constructor(
    readonly model: Model,
    readonly size: number,
  ) {
    this.poses = new Float64Array(7 * model.bodies.length);
    this.colors = model.bodies.map(
      (body, i) => body.shapes.find((shape) => shape.color)?.color ?? palette[i % palette.length],
    );
    model.bodies.forEach((body, i) => {
      const group = new THREE.Group();
      group.matrixAutoUpdate = false;
      const look = new THREE.Group();
      if (body.shapes.length === 0) look.add(tubes(model, i, palette[i % palette.length], size));
      for (const shape of body.shapes) look.add(shapeObject(shape, palette[i % palette.length]));
      for (const arm of arms(model, i, this.colors[i], size)) look.add(arm);
      layer(look, i);
      look.userData.thing = { kind: "body", index: i } satisfies Thing;
      this.pickable.push(look);
      group.add(look);
      const frame = frameMark(size);
      frame.position.set(...body.origin);
      const centre = centreMark(size);
      group.add(frame, centre);
      this.marks.frames.push(frame);
      this.marks.centres.push(centre);
      this.bodies.push(group);
      this.group.add(group);
      this.label(body.name, "body", i, i, [0, 0, 0]);
    });
    this.group.add(this.ground);
    this.addJoints();
    this.addConstraints();
    this.anchors = anchors(model).map((at) => {
      const anchor = anchorMark(size);
      anchor.position.set(...at);
      return anchor;
    });
    if (this.anchors.length > 0) this.ground.add(...this.anchors);
    this.links = links(model, size);
    for (const link of this.links) this.group.add(link.object);
  }

  private holder(body: number): THREE.Group {
    return body < 0 ? this.ground : this.bodies[body];
  }
  private label(name: string, kind: Labelled["kind"], index: number, body: number, p: readonly number[]): void {
    const point = [0, 0, 0];
    this.labels.add({
      name,
      kind,
      at: (out) => {
        place(this.poses, body, p, point);
        out.set(point[0], point[1], point[2]);
      },
    });
    this.labelled.push({ kind, index });
  }
  private readonly labelled: Thing[] = [];

  private addJoints(): void {
    this.model.joints.forEach((joint, i) => {
      const { at, length } = pinOf(this.model, joint);
      const mark = jointMark(joint, at, length, this.size);
      mark.userData.thing = { kind: "joint", index: i } satisfies Thing;
      this.holder(joint.first.body).add(mark);
      this.marks.joints.push(mark);
      this.pickable.push(mark);
      if (joint.has_axis) {
        const axis = axisMark(joint, at, this.size);
        this.holder(joint.first.body).add(axis);
        this.marks.axes.push(axis);
      }
      this.label(joint.name, "joint", i, joint.first.body, at.toArray());
    });
  }
  private addConstraints(): void {
    this.model.constraints.forEach((constraint, i) => {
      const { first, second } = constraint;
      if (!first || !second) return;
      const guide = guideMark(constraint, this.size);
      if (guide) {
        guide.position.set(...first.p);
        guide.quaternion.set(...first.q);
        this.holder(first.body).add(guide);
      }
      for (const end of constraint.carries_load ? [second] : [first, second]) {
        const mark = pointMark(this.size);
        mark.position.set(...end.p);
        mark.userData.thing = { kind: "constraint", index: i } satisfies Thing;
        this.holder(end.body).add(mark);
        this.marks.points.push(mark);
        this.pickable.push(mark);
      }
      this.label(constraint.name, "constraint", i, second.body, second.p);
    });
  }

  show(kind: keyof Machine["marks"], on: boolean): void {
    for (const mark of this.marks[kind]) mark.visible = on;
  }

  update(source: PoseSource, t: number): void {
    const { poses } = this;
    source.poses(t, poses);
    this.bodies.forEach((group, i) => {
      const at = 7 * i;
      setMatrix(group.matrix, poses, at);
      group.matrixWorldNeedsUpdate = true;
    });
    for (const link of this.links) link.update(poses);
  }
  updateLabels(camera: THREE.Camera, width: number, height: number, all: boolean): void {
    let i = 0;
    this.labels.update(camera, width, height, (what) => {
      const thing = this.labelled[i++];
      return (all && what.kind === "body") || same(thing, this.selected);
    });
  }

  centre(out = new THREE.Vector3()): THREE.Vector3 {
    return massCentre(this.model, this.poses, out);
  }

  // What a ray meets first, and where on the body, in its axes.
  pick(ray: THREE.Raycaster): { thing: Thing; local?: number[] } | undefined {
    const hits = ray.intersectObjects(this.pickable.filter(visible), true);
    for (const hit of hits)
      for (let each: THREE.Object3D | null = hit.object; each; each = each.parent) {
        const thing = each.userData.thing as Thing | undefined;
        if (!thing) continue;
        if (thing.kind !== "body") return { thing };
        return {
          thing,
          local: hit.point.clone().applyMatrix4(this.bodies[thing.index].matrix.clone().invert()).toArray(),
        };
      }
    return undefined;
  }
  select(thing: Thing | undefined): void {
    this.selected = thing;
    for (const object of this.pickable) {
      const on = same(object.userData.thing as Thing, thing);
      object.traverse((each) => {
        if (!(each instanceof THREE.Mesh) || !(each.material instanceof THREE.MeshStandardMaterial)) return;
        const paint = each.material;
        paint.userData.emissive ??= [paint.emissive.getHex(), paint.emissiveIntensity];
        const [color, intensity] = paint.userData.emissive as [number, number];
        paint.emissive.setHex(on ? 0x2f7dff : color);
        paint.emissiveIntensity = on ? 0.45 : intensity;
      });
    }
  }
  // Against a dark ground dark parts would vanish: they are lifted there.
  setTheme(theme: Theme): void {
    this.group.traverse((each) => {
      if (!(each instanceof THREE.Mesh) || !(each.material instanceof THREE.MeshStandardMaterial)) return;
      const paint = each.material;
      paint.userData.color ??= paint.color.getHex();
      paint.color.setHex(paint.userData.color as number);
      const { h, s, l } = paint.color.getHSL({ h: 0, s: 0, l: 0 }, THREE.SRGBColorSpace);
      const least = s < 0.25 ? 0.7 : 0.55;
      if (theme === "dark" && l < least) paint.color.setHSL(h, s, least - 0.25 * (least - l), THREE.SRGBColorSpace);
    });
  }
  // A see-through copy in one colour, for another motion.
  makeGhost(color: string): void {
    const paint = new THREE.MeshStandardMaterial({
      color,
      transparent: true,
      opacity: 0.45,
      roughness: 0.7,
      polygonOffset: true, // where it all but coincides with the motion in full colour, that one is seen
      polygonOffsetFactor: 2,
      polygonOffsetUnits: 256,
      depthWrite: false,
    });
    this.group.traverse((each) => {
      if (!(each instanceof THREE.Mesh)) return;
      each.material = paint;
      each.castShadow = false;
      each.receiveShadow = false;
    });
    for (const kind of Object.keys(this.marks) as (keyof Machine["marks"])[]) this.show(kind, false);
  }
}

// Parts that overlap in a plane do not flicker: each body has a depth of its own, by less than one can see.
function layer(object: THREE.Object3D, body: number): void {
  object.traverse((each) => {
    if (!(each instanceof THREE.Mesh)) return;
    const paint = each.material as THREE.Material;
    paint.polygonOffset = body % 8 > 0;
    paint.polygonOffsetUnits = 12 * (body % 8);
  });
}

function visible(object: THREE.Object3D): boolean {
  for (let each: THREE.Object3D | null = object; each; each = each.parent) if (!each.visible) return false;
  return true;
}

function setMatrix(matrix: THREE.Matrix4, poses: Float64Array, at: number): void {
  const [x, y, z, w] = [poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]];
  matrix.set(
    1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), poses[at],
    2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), poses[at + 1],
    2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), poses[at + 2],
    0, 0, 0, 1,
  ); // prettier-ignore
}
