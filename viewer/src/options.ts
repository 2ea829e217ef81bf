// What the picture shows: a small panel over it.
import GUI from "lil-gui";
import "../node_modules/lil-gui/dist/lil-gui.css";
import type { View } from "./view";

export function optionsPanel(view: View, onTheme: () => void): { gui: GUI; refresh(): void } {
  const gui = new GUI({ container: view.element, title: "View", injectStyles: false, width: 190 });
  const add = (name: keyof View["options"], label: string): void => {
    gui
      .add(view.options, name)
      .name(label)
      .onChange(() => view.apply());
  };
  if (view.arrows?.anyWheel) add("wheelForces", "wheel forces");
  if (view.arrows?.any) add("reactions", "reactions");
  add("trails", "trails");
  add("labels", "names");
  add("joints", "joints");
  add("axes", "joint axes");
  add("frames", "body frames");
  add("centres", "mass centres");
  add("points", "constraint points");
  add("ground", "ground");
  add("follow", "follow");
  gui.add({ camera: () => view.resetCamera() }, "camera").name("reset camera");
  gui.add({ theme: onTheme }, "theme").name("light/dark theme");
  gui.close();
  const refresh = (): void => gui.controllersRecursive().forEach((each) => each.updateDisplay());
  return { gui, refresh };
}
