// The time that is shown, and how it runs.

const usual = [0.1, 0.2, 0.5, 1, 2, 5, 10];

// The usual speeds, and in steps of 1, 2, 5 what it takes to spread a short run over 30 s or to see a long one in 30 s.
export function speedsFor(span: number): number[] {
  const speeds = [...usual];
  if (!(span > 0)) return speeds;
  const step = (k: number): number => Number(`${[1, 2, 5][((k % 3) + 3) % 3]}e${Math.floor(k / 3)}`);
  for (let k = -4; span / speeds[0] < 30 && k > -40; --k) speeds.unshift(step(k));
  for (let k = 4; span / speeds[speeds.length - 1] > 30 && k < 40; ++k) speeds.push(step(k));
  return speeds;
}
// Real time, unless a run is so short that one would not see it.
export function speedToBegin(span: number, speeds: number[]): number {
  const fitting = speeds.filter((speed) => speed <= 1 && span / speed >= 3 * (1 - 1e-9));
  return span > 0 ? (fitting.pop() ?? speeds[0]) : 1;
}

export class Clock {
  t: number;
  playing = false;
  speed = 1;
  speeds = usual;
  looping = false;
  loop: [number, number];
  private wanted?: number; // a speed that was asked for
  private readonly listeners: (() => void)[] = [];

  constructor(
    public from: number,
    public to: number,
    public times: ArrayLike<number>,
  ) {
    this.t = from;
    this.loop = [from, to];
    this.fitSpeed();
  }
  private fitSpeed(): void {
    this.speeds = speedsFor(this.to - this.from);
    const { wanted, speeds } = this;
    this.speed = wanted && speeds.includes(wanted) ? wanted : speedToBegin(this.to - this.from, speeds);
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
  // Times less apart are one.
  private get moment(): number {
    return 1e-12 * (this.to - this.from);
  }

  setRange(from: number, to: number, times: ArrayLike<number>): void {
    this.from = from;
    this.to = to;
    this.times = times;
    this.loop = [from, to];
    this.fitSpeed();
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
    if (on && this.t >= end - this.moment) this.t = this.looping ? this.loop[0] : this.from;
    this.playing = on;
    this.changed();
  }
  setSpeed(speed: number): void {
    if (!(speed > 0)) return;
    this.speed = this.wanted = Math.min(this.speeds[this.speeds.length - 1], Math.max(this.speeds[0], speed));
    this.changed();
  }
  // By places in the list of speeds.
  stepSpeed(by: 1 | -1): void {
    const beyond = this.speeds.filter((speed) => (speed - this.speed) * by > 1e-9 * speed);
    this.setSpeed((by > 0 ? beyond[0] : beyond.pop()) ?? this.speed);
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

  // By samples of the record.
  step(samples: number): void {
    const times = this.times;
    this.playing = false;
    if (times.length < 2) return this.seek(this.t + (samples * (this.to - this.from)) / 100);
    let at = 0;
    while (at + 1 < times.length && times[at + 1] <= this.t + this.moment) ++at;
    const between = this.t > times[at] + this.moment;
    const target = at + samples + (samples < 0 && between ? 1 : 0);
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
