// The picture: stage, machine, ghosts, arrows and trails, and what of them is shown.
import * as THREE from "three";
import type { Clock } from "./clock";
import type { Report } from "./data";
import { ghostColor, h, number } from "./dom";
import { GhostPoses, MotionPoses, type PoseSource, StartPoses } from "./poses";
import { Arrows } from "./scene/arrows";
import { type Framing, frameOf, pointsOf } from "./scene/frame";
import { Machine, same, type Thing } from "./scene/machine";
import { Stage, type Theme } from "./scene/stage";
import { onBody, type Path, recorded, Trails } from "./scene/trails";

export interface Options {
  joints: boolean;
  axes: boolean;
  frames: boolean;
  centres: boolean;
  points: boolean;
  labels: boolean;
  wheelForces: boolean;
  reactions: boolean;
  trails: boolean;
  ground: boolean;
  follow: boolean;
}

export class View {
  readonly canvas = h("canvas", {
    class: "canvas",
    tabindex: 0,
    role: "img",
    "aria-label": "The mechanism in 3D. Arrow keys rotate the view, plus and minus zoom.",
  });
  readonly element = h("div", { class: "picture" }, this.canvas);
  private readonly scale = h("p", { class: "scale" });
  readonly options: Options;
  readonly framing: Framing;
  readonly machine: Machine;
  readonly stage?: Stage;
  readonly arrows?: Arrows;
  readonly trails?: Trails;
  readonly ghosts: { machine: Machine; source: GhostPoses; color: string; name: string; on: boolean }[] = [];
  selected?: Thing;
  clicked?: number[]; // the point of the chosen body, in its axes
  source: PoseSource;
  scriptTime = 0; // milliseconds of the last frame, without the draw call
  private readonly selectListeners: ((thing: Thing | undefined) => void)[] = [];
  private focus = new THREE.Vector3();
  private lastFocus?: THREE.Vector3;

  constructor(
    readonly report: Report,
    private readonly clock: Clock,
  ) {
    const { model, motion } = report;
    this.source = motion ? new MotionPoses(model, motion) : new StartPoses(model);
    this.framing = frameOf(model, this.source, clock.from, clock.to);
    this.machine = new Machine(model, this.framing.size);
    this.options = {
      joints: true,
      axes: false,
      frames: false,
      centres: false,
      points: false,
      labels: false,
      wheelForces: true,
      reactions: false,
      trails: true,
      ground: this.framing.grounded,
      follow: this.framing.follow,
    };
    this.element.append(this.machine.labels.layer, this.scale);
    try {
      this.stage = new Stage(this.canvas, this.framing.size, this.framing.ground);
    } catch {
      this.element.append(
        h(
          "p",
          { class: "no-picture", role: "alert" },
          "This browser cannot draw 3D graphics (WebGL is disabled). Plots and numbers still work.",
        ),
      );
    }
    if (motion) {
      this.arrows = new Arrows(model, motion, this.framing.size);
      this.trails = new Trails(motion);
      motion.places?.constraints.forEach((place, i) => {
        if ((model.constraints[i].carries_load || model.constraints[i].type === "knife_edge") && place.reaction >= 0)
          this.setTrail(`constraint ${i}`, recorded(motion, place.reaction + 6), this.wheelColor(i), true);
      });
      this.stage?.scene.add(this.arrows.group, this.trails.group);
    }
    report.ghosts.forEach((table, i) => this.addGhost(table.name, i));
    this.stage?.scene.add(this.machine.group);
    this.apply();
    this.watchPointer();
    this.watchKeys();
  }

  private wheelColor(constraint: number): string {
    return ["#c8553d", "#2f6f9f", "#5f8f3f", "#8f5fa0"][constraint % 4];
  }
  private addGhost(name: string, i: number): void {
    const machine = new Machine(this.report.model, this.framing.size);
    const color = ghostColor(i);
    machine.makeGhost(color);
    this.stage?.scene.add(machine.group);
    this.ghosts.push({
      machine,
      source: new GhostPoses(this.report.model, this.source, this.report.ghosts[i]),
      color,
      name,
      on: true,
    });
  }

  onSelect(listener: (thing: Thing | undefined) => void): void {
    this.selectListeners.push(listener);
  }
  select(thing: Thing | undefined, clicked?: number[]): void {
    if (same(thing, this.selected) && !clicked) return;
    this.selected = thing;
    this.clicked = clicked;
    this.lastFocus = undefined;
    this.machine.select(thing);
    for (const listener of this.selectListeners) listener(thing);
    this.touch();
  }
  setTrail(name: string, path: Path, color: string, on: boolean): void {
    this.trails?.set(name, path, color, on);
    this.touch();
  }
  // The path of a thing: of a mass centre, a joint, or the point of a constraint.
  pathOf(thing: Thing): Path | undefined {
    const { motion, model } = this.report;
    if (!motion || motion.rows < 2) return undefined;
    if (thing.kind === "body") return onBody(motion, this.source, thing.index, [0, 0, 0]);
    if (thing.kind === "joint")
      return onBody(motion, this.source, model.joints[thing.index].second.body, model.joints[thing.index].second.p);
    const first = motion.places?.constraints[thing.index].reaction ?? -1;
    return first < 0 ? undefined : recorded(motion, first + 6);
  }
  // The point of the chosen body that was clicked.
  pathOfClicked(): Path | undefined {
    const { motion } = this.report;
    if (!motion || motion.rows < 2 || !this.clicked || this.selected?.kind !== "body") return undefined;
    return onBody(motion, this.source, this.selected.index, this.clicked);
  }
  setTheme(theme: Theme): void {
    this.stage?.setTheme(theme);
    for (const { machine } of [this, ...this.ghosts]) machine.setTheme(theme);
  }
  // Shows and hides as the options say.
  apply(): void {
    const { options, machine } = this;
    const scale = this.stage && options.ground ? [`grid ${number(this.stage.cell)} m`] : [];
    const forces = this.arrows?.any && (options.reactions || (options.wheelForces && this.arrows.anyWheel));
    if (forces) scale.push(`force arrows 1 m = ${number(this.arrows!.newtonsPerMetre)} N`);
    const factor = this.ghosts[0]?.source.factor ?? 1;
    if (factor !== 1) scale.push(`differences \u00d7 ${number(factor)}`);
    this.scale.textContent = scale.join(" \u00b7 ");
    this.scale.hidden = scale.length === 0;
    for (const kind of ["joints", "axes", "frames", "centres", "points"] as const) machine.show(kind, options[kind]);
    for (const ghost of this.ghosts) ghost.machine.group.visible = ghost.on;
    if (this.trails) this.trails.group.visible = options.trails;
    this.stage?.showGround(options.ground);
    this.lastFocus = undefined;
    this.touch();
  }
  touch(): void {
    if (this.stage) this.stage.dirty = true;
  }

  // All of the machine, wherever it goes.
  resetCamera(): void {
    const { stage, framing } = this;
    if (!stage) return;
    const shift = new THREE.Vector3();
    if (this.options.follow) {
      this.source.poses(this.clock.from, this.machine.poses);
      this.machine.centre(shift).negate();
      this.update();
      shift.add(this.machine.centre());
    }
    stage.look(
      framing.direction,
      framing.points.map((point) => point.clone().add(shift)),
    );
    this.lastFocus = undefined;
  }
  // Another motion of the same machine.
  show(source: PoseSource, from: number, to: number): void {
    this.source = source;
    this.framing.points = pointsOf(this.report.model, source, from, to, this.framing);
    if (!this.stage?.moved) this.resetCamera();
    this.touch();
  }
  // The whole stays in sight, unless the camera was moved by hand.
  resize(): void {
    const { stage } = this;
    stage?.resize(this.element.clientWidth, this.element.clientHeight);
    if (!stage?.moved) this.resetCamera();
  }

  // Everything at the present time: all the work of a frame but the draw call.
  update(): void {
    const begin = performance.now();
    const { clock, machine, stage, options } = this;
    machine.update(this.source, clock.t);
    for (const ghost of this.ghosts) if (ghost.on) ghost.machine.update(ghost.source, clock.t);
    this.arrows?.update(clock.t, machine.poses, options.wheelForces, options.reactions);
    this.trails?.update(clock.t);
    if (stage) {
      if (this.selected?.kind === "body") this.focus.fromArray(machine.poses, 7 * this.selected.index);
      else machine.centre(this.focus);
      if (options.follow && this.lastFocus) stage.follow(this.focus.clone().sub(this.lastFocus));
      this.lastFocus = (this.lastFocus ?? new THREE.Vector3()).copy(this.focus);
      stage.camera.updateMatrixWorld();
      machine.updateLabels(stage.camera, this.element.clientWidth, this.element.clientHeight, options.labels);
    }
    this.scriptTime = performance.now() - begin;
  }
  frame(): void {
    if (!this.stage?.dirty) return;
    this.update();
    this.stage.draw();
  }

  private watchPointer(): void {
    let down: [number, number] | undefined;
    this.canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    this.canvas.addEventListener("pointerup", (event) => {
      if (!down || !this.stage || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 5) return;
      const box = this.canvas.getBoundingClientRect();
      const at = new THREE.Vector2(
        ((event.clientX - box.left) / box.width) * 2 - 1,
        1 - ((event.clientY - box.top) / box.height) * 2,
      );
      const ray = new THREE.Raycaster();
      ray.setFromCamera(at, this.stage.camera);
      const hit = this.machine.pick(ray);
      this.select(hit?.thing, hit?.local);
    });
  }
  private watchKeys(): void {
    const turns: Record<string, [number, number, number]> = {
      ArrowLeft: [-0.1, 0, 1],
      ArrowRight: [0.1, 0, 1],
      ArrowUp: [0, -0.08, 1],
      ArrowDown: [0, 0.08, 1],
      "+": [0, 0, 0.9],
      "=": [0, 0, 0.9],
      "-": [0, 0, 1.1],
    };
    this.canvas.addEventListener("keydown", (event) => {
      const turn = turns[event.key];
      if (!turn || event.ctrlKey || event.metaKey || event.altKey) return;
      this.stage?.orbit(...turn);
      event.preventDefault();
      event.stopPropagation();
    });
  }
}
