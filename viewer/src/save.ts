// Pictures and short videos of the view, saved by the browser.
import type { Clock } from "./clock";
import { h } from "./dom";
import type { View } from "./view";

function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = h("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

const fileName = (view: View, ending: string): string =>
  `${view.report.model.name.replace(/[^A-Za-z0-9_-]+/g, "-") || "tandem"}.${ending}`;

// The picture with the texts over it: the scale, and the names that are shown.
function withTexts(view: View): HTMLCanvasElement {
  const { width, height } = view.canvas;
  const copy = h("canvas", { width, height });
  const context = copy.getContext("2d")!;
  context.drawImage(view.canvas, 0, 0);
  const frame = view.canvas.getBoundingClientRect();
  context.scale(width / frame.width, height / frame.height);
  context.textBaseline = "middle";
  for (const each of view.element.querySelectorAll<HTMLElement>(".label, .scale")) {
    const box = each.getBoundingClientRect();
    if (each.hidden || box.width === 0) continue;
    const style = getComputedStyle(each);
    const [x, y] = [box.left - frame.left, box.top - frame.top];
    context.fillStyle = style.backgroundColor;
    context.beginPath();
    const place = [x, y, box.width, box.height] as const;
    if ("roundRect" in context) context.roundRect(...place, parseFloat(style.borderTopLeftRadius) || 0);
    else (context as CanvasRenderingContext2D).rect(...place); // browsers before 2023
    context.fill();
    context.font = `${style.fontSize} ${style.fontFamily}`;
    context.fillStyle = style.color;
    context.fillText(each.textContent ?? "", x + parseFloat(style.paddingLeft), y + box.height / 2);
  }
  return copy;
}

export function savePicture(view: View): void {
  view.touch();
  view.frame();
  withTexts(view).toBlob((blob) => blob && download(blob, fileName(view, "png")), "image/png");
}

export function canRecord(view: View): boolean {
  return typeof MediaRecorder !== "undefined" && "captureStream" in view.canvas;
}

const shortest = 2; // seconds of a video: what would be over sooner is played slower
const longest = 30;

// Plays the loop range, or all, once at the present speed, for half a minute at most.
export class VideoRecorder {
  private recorder?: MediaRecorder;
  private watch?: () => void; // what the clock tells while it is recorded
  constructor(
    private readonly view: View,
    private readonly clock: Clock,
    private readonly onChange: (recording: boolean) => void,
  ) {
    clock.onChange(() => this.watch?.());
  }

  toggle(): void {
    if (this.recorder) this.recorder.stop();
    else this.start();
  }
  private start(): void {
    const { view, clock } = this;
    const [from, to] = clock.looping ? clock.loop : [clock.from, clock.to];
    const type = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"].find((each) =>
      MediaRecorder.isTypeSupported(each),
    );
    const stream = view.canvas.captureStream(30);
    const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 6_000_000 });
    const parts: Blob[] = [];
    recorder.ondataavailable = (event) => parts.push(event.data);
    const { speed } = clock;
    const slower = Math.min(speed, (to - from) / shortest);
    const timer = setTimeout(() => recorder.stop(), 1000 * longest);
    recorder.onstop = () => {
      clearTimeout(timer);
      this.watch = undefined;
      this.recorder = undefined;
      for (const track of stream.getTracks()) track.stop();
      clock.speed = speed;
      clock.play(false);
      this.onChange(false);
      download(new Blob(parts, { type: "video/webm" }), fileName(view, "webm"));
    };
    this.recorder = recorder;
    this.onChange(true);
    clock.play(false);
    clock.seek(from);
    clock.speed = slower;
    recorder.start(250);
    clock.play(true);
    // Once: until it stands at the end, or begins anew. A slow machine takes longer for it, and misses nothing.
    let last = clock.t;
    this.watch = () => {
      const over = !clock.playing || clock.t < last;
      last = clock.t;
      if (!over) return;
      this.watch = undefined;
      setTimeout(() => recorder.state !== "inactive" && recorder.stop(), 100); // the last picture too
    };
  }
}
