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

export function savePicture(view: View): void {
  view.touch();
  view.frame();
  view.canvas.toBlob((blob) => blob && download(blob, fileName(view, "png")), "image/png");
}

export function canRecord(view: View): boolean {
  return typeof MediaRecorder !== "undefined" && "captureStream" in view.canvas;
}

// Plays the loop range, or all, once at the present speed, for half a minute at most.
export class VideoRecorder {
  private recorder?: MediaRecorder;
  constructor(
    private readonly view: View,
    private readonly clock: Clock,
    private readonly onChange: (recording: boolean) => void,
  ) {}

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
    const seconds = Math.min(30, (to - from) / clock.speed);
    const timer = setTimeout(() => recorder.stop(), 1000 * seconds);
    recorder.onstop = () => {
      clearTimeout(timer);
      this.recorder = undefined;
      for (const track of stream.getTracks()) track.stop();
      clock.play(false);
      this.onChange(false);
      download(new Blob(parts, { type: "video/webm" }), fileName(view, "webm"));
    };
    this.recorder = recorder;
    this.onChange(true);
    clock.play(false);
    clock.seek(from);
    recorder.start(250);
    clock.play(true);
  }
}
