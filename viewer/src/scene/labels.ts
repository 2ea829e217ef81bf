// Names beside their things: plain text over the picture.
import * as THREE from "three";
import { h } from "../dom";

export interface Labelled {
  name: string;
  kind: "body" | "joint" | "constraint";
  at(out: THREE.Vector3): void;
}

export class Labels {
  readonly layer = h("div", { class: "labels", "aria-hidden": "true" });
  private readonly items: { what: Labelled; element: HTMLElement; shown: boolean }[] = [];
  private readonly point = new THREE.Vector3();

  add(what: Labelled): void {
    const element = h("span", { class: `label ${what.kind}` }, what.name);
    element.hidden = true;
    this.layer.append(element);
    this.items.push({ what, element, shown: false });
  }
  update(camera: THREE.Camera, width: number, height: number, wanted: (what: Labelled) => boolean): void {
    for (const item of this.items) {
      let shown = wanted(item.what);
      if (shown) {
        item.what.at(this.point);
        this.point.project(camera);
        shown = this.point.z < 1 && Math.abs(this.point.x) < 1.05 && Math.abs(this.point.y) < 1.05;
      }
      if (shown !== item.shown) item.element.hidden = !shown;
      item.shown = shown;
      if (!shown) continue;
      const x = ((this.point.x + 1) / 2) * width;
      const y = ((1 - this.point.y) / 2) * height;
      item.element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
  }
}
