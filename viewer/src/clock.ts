// The time that is shown, and how it runs.

export class Clock {
  t: number;
  playing = false;
  speed = 1;
  looping = false;
  loop: [number, number];
  private readonly listeners: (() => void)[] = [];

  constructor(
    public from: number,
    public to: number,
    public times: ArrayLike<number>,
  ) {
    this.t = from;
    this.loop = [from, to];
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }
  changed(): void {
    for (const listener of this.listeners) listener();
  }
  get moves(): boolean {
    return this.to > this.from;
  }

  setRange(from: number, to: number, times: ArrayLike<number>): void {
    this.from = from;
    this.to = to;
    this.times = times;
    this.loop = [from, to];
    this.seek(from);
  }
  seek(t: number): void {
    if (!Number.isFinite(t)) return;
    this.t = Math.min(this.to, Math.max(this.from, t));
    this.changed();
  }
  play(on = !this.playing): void {
    if (on && !this.moves) return;
    const end = this.looping ? this.loop[1] : this.to;
    if (on && this.t >= end - 1e-12) this.t = this.looping ? this.loop[0] : this.from;
    this.playing = on;
    this.changed();
  }
  setSpeed(speed: number): void {
    this.speed = Math.min(10, Math.max(0.1, speed));
    this.changed();
  }
  setLoop(from: number, to: number): void {
    if (!Number.isFinite(from) || !Number.isFinite(to)) return;
    const low = Math.min(this.to, Math.max(this.from, Math.min(from, to)));
    const high = Math.min(this.to, Math.max(this.from, Math.max(from, to)));
    this.loop = high > low ? [low, high] : [this.from, this.to];
    this.changed();
  }
  toggleLoop(on = !this.looping): void {
    this.looping = on;
    this.changed();
  }

  // By rows of the record.
  step(rows: number): void {
    const times = this.times;
    this.playing = false;
    if (times.length < 2) return this.seek(this.t + (rows * (this.to - this.from)) / 100);
    let at = 0;
    while (at + 1 < times.length && times[at + 1] <= this.t + 1e-12) ++at;
    const between = this.t > times[at] + 1e-12;
    const target = at + rows + (rows < 0 && between ? 1 : 0);
    this.seek(times[Math.min(times.length - 1, Math.max(0, target))]);
  }

  // Seconds of the wall clock have passed.
  advance(seconds: number): void {
    if (!this.playing) return;
    this.t += seconds * this.speed;
    const [low, high] = this.looping ? this.loop : [this.from, this.to];
    if (this.t >= high) {
      if (this.looping) {
        this.t = low + ((this.t - low) % (high - low));
      } else {
        this.t = high;
        this.playing = false;
      }
    }
    this.changed();
  }
}
