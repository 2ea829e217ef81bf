// Pictures of reports: node screenshots.mjs PROGRAM FOLDER [NAME...]
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { smallPng } from "./png.mjs";
import { executablePath, launch } from "./tests/chromium.mjs";

// How each picture is made: the command, the time, and what is done to the page before.
const pictures = [
  { name: "bicycle", words: ["run", "bicycle"], t: 1.3 },
  { name: "bicycle-modes", words: ["linearize", "bicycle", "--sweep", "v=0:10:101"], t: 0.2 },
  {
    name: "swimmer",
    words: ["run", "swimmer"],
    t: 5.2,
    back: 0.86,
    dark: true,
    act: ({ view }) => (pointTrail(view, 1, [-0.5, 0, 0]), pointTrail(view, 2, [0.5, 0, 0])),
  },
  { name: "compare", words: ["compare", "bicycle", "--duration", "3"], t: 1.5 },
  { name: "squeezer", words: ["run", "squeezer"], t: 0.0125 },
  { name: "four-bar", words: ["run", "four-bar"], t: 1.1, act: ({ view }) => trails(view, [1]), only: "picture" },
  { name: "rolling-disc", words: ["run", "rolling-disc"], t: 2.2, only: "picture" },
  { name: "top", words: ["run", "top"], t: 3, act: ({ view }) => pointTrail(view, 0, [0, 0, 0.35]), only: "picture" },
  { name: "slider-crank", words: ["run", "slider-crank"], t: 1.5, only: "picture" },
  { name: "rail", words: ["run", "rail"], t: 1.3, act: ({ view }) => trails(view, [2]), only: "picture" },
  { name: "two-body", words: ["run", "two-body"], t: 1, only: "picture" },
  {
    name: "chaplygin-sleigh",
    words: ["run", "chaplygin-sleigh"],
    t: 3,
    turn: [0.35, 0.12],
    back: 2.2,
    shift: [0.2, -0.35, 0],
    only: "picture",
  },
  {
    name: "chain",
    words: ["run", "chain", "--set", "angle=1.5"],
    t: 2.1,
    act: ({ view }) => trails(view, [2]),
    only: "picture",
  },
  {
    name: "distance",
    words: ["run", "distance"],
    t: 0.75,
    back: 1.2,
    act: ({ view }) => trails(view, [0, 1]),
    only: "picture",
  },
  {
    name: "heavy-top",
    words: ["run", "heavy-top"],
    t: 0.55,
    act: ({ view }) => trails(view, [0]),
    only: "picture",
  },
  {
    name: "t-handle",
    words: ["run", "t-handle"],
    t: 2.72,
    act: ({ view }) => pointTrail(view, 0, [0, 0, 0.05]),
    only: "picture",
  },
  {
    name: "rattleback",
    words: ["run", "rattleback", "--duration", "3"],
    t: 1.75,
    act: ({ view }) => pointTrail(view, 0, [0.2, 0, 0.01]),
    only: "picture",
  },
  { name: "euler-disc", words: ["run", "euler-disc", "--set", "tilt=0.25"], t: 0.3, only: "picture" },
  {
    name: "n-four-bar",
    words: ["run", "n-four-bar"],
    t: 0.3,
    act: ({ view }) => trails(view, [3, 4]),
    only: "picture",
  },
  {
    name: "spring-chain",
    words: ["run", "spring-chain"],
    t: 0.45,
    act: ({ view }) => trails(view, [5]),
    only: "picture",
  },
  {
    name: "ring-chain",
    words: ["run", "ring-chain"],
    t: 0.6,
    act: ({ view }) => trails(view, [2, 5]),
    only: "picture",
  },
  { name: "bricard", words: ["run", "bricard"], t: 1.15, act: ({ view }) => trails(view, [1, 2]), only: "picture" },
  { name: "rope-bridge", words: ["run", "rope-bridge"], t: 2, only: "picture" },
  { name: "governor", words: ["run", "governor"], t: 2.13, only: "picture" },
  {
    name: "snakeboard",
    words: ["run", "snakeboard"],
    t: 2.6,
    back: 2.2,
    act: ({ view }) => trails(view, [0, 2, 3]),
    only: "picture",
  },
  { name: "stewart", words: ["run", "stewart"], t: 1.2, only: "picture" },
  {
    name: "strandbeest",
    words: ["run", fileURLToPath(new URL("../tests/published/strandbeest.toml", import.meta.url))],
    t: 2.5,
    act: ({ view }) => pointTrail(view, 6, [0.0468, 0, -0.3432]),
    only: "picture",
  },
];

// Runs in the page: trails of the mass centres of these bodies.
const trails = `(view, bodies) => {
  for (const i of bodies) view.setTrail("body " + i, view.pathOf({ kind: "body", index: i }), view.machine.colors[i], true);
}`;

// Runs in the page: the trail of a point of a body, given from its mass centre in its axes.
const pointTrail = `(view, body, point) => {
  const { selected, clicked } = view;
  Object.assign(view, { selected: { kind: "body", index: body }, clicked: point });
  view.setTrail("point " + body, view.pathOfClicked(), view.machine.colors[body], true);
  Object.assign(view, { selected, clicked });
}`;

// Runs in the page: steps back by a factor.
const stepBack = `({ stage }, factor) => {
  const { camera, controls } = stage;
  camera.position.sub(controls.target).multiplyScalar(factor).add(controls.target);
  controls.update();
  stage.dirty = true;
}`;

// Runs in the page: the pixels of a picture.
async function pixels(base64) {
  const bitmap = await createImageBitmap(
    new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: "image/png" }),
  );
  const canvas = document.createElement("canvas");
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  const context = canvas.getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  let text = "";
  for (let i = 0; i < data.length; i += 8190) text += btoa(String.fromCharCode(...data.subarray(i, i + 8190)));
  return { data: text, width: bitmap.width, height: bitmap.height };
}

async function take(browser, picture, html, out) {
  const viewport = picture.only ? { width: 1180, height: 640 } : { width: 1280, height: 760 };
  const page = await browser.newPage({ viewport, colorScheme: picture.dark ? "dark" : "light" });
  await page.goto(`file://${html}`);
  await page.waitForFunction(() => window.tandem && !window.tandem.view.stage.dirty);
  const act = picture.act ? `(${picture.act})(window.tandem)` : "";
  await page.evaluate(`{
    const trails = ${trails}, pointTrail = ${pointTrail};
    window.tandem.clock.seek(${picture.t});
    ${act}
  }`);
  await page.waitForTimeout(300);
  if (picture.turn) await page.evaluate(`window.tandem.view.stage.orbit(${picture.turn})`);
  if (picture.shift)
    await page.evaluate(`{
      const { stage } = window.tandem.view;
      stage.follow(stage.controls.target.clone().set(${picture.shift}));
    }`);
  if (picture.back) await page.evaluate(`(${stepBack})(window.tandem.view, ${picture.back})`);
  await page.waitForTimeout(300);
  await page.waitForFunction(() => !window.tandem.view.stage.dirty);
  const what = picture.only ? page.locator(".picture") : page;
  if (picture.only)
    await page.evaluate(() => document.querySelectorAll(".lil-gui").forEach((each) => (each.hidden = true)));
  const png = await what.screenshot();
  const { data, width, height } = await page.evaluate(pixels, png.toString("base64"));
  writeFileSync(out, smallPng(Buffer.from(data, "base64"), width, height));
  await page.close();
}

const [program, folder, ...names] = process.argv.slice(2);
if (!executablePath) throw new Error("there is no Chromium; install it: apt-get install chromium");
const tandem = (...words) => execFileSync(resolve(program), words, { encoding: "utf8", cwd: work });
const work = mkdtempSync(join(tmpdir(), "tandem-pictures-"));
const browser = await launch();
try {
  for (const picture of pictures) {
    if (names.length > 0 && !names.includes(picture.name)) continue;
    const html = join(work, `${picture.name}.html`);
    const out = resolve(folder, `${picture.name}.png`);
    tandem(...picture.words, "--report", html);
    await take(browser, picture, html, out);
    const { size } = statSync(out);
    console.log(`${out}: ${Math.round(size / 1000)} kB`);
    if (size > 200_000) throw new Error(`${out} is larger than 200 kB`);
  }
} finally {
  await browser.close();
  rmSync(work, { recursive: true, force: true });
}
