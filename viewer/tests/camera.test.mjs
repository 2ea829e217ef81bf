// The camera: all of a mechanism over all of its motion, on a desktop, on a phone and in the saved picture; pins where
// they belong.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Bench, drawn } from "./support.mjs";

const bench = new Bench();
before(() => bench.open());
after(() => bench.close());

const defect = (name) => fileURLToPath(new URL(`../../tests/defects/${name}.toml`, import.meta.url));
const screens = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
// One body on a pin that swings all round, seen nearly along itself at times: its circle fills the picture.
const swinging = ["hammer", "heavy-top", "rattleback", "spring-chain", "table-monotone"];

// Every corner of every body's picture, projected at many times: the range over all of them, and how much of one side of
// the picture they take at their least, at the start, in the middle and at the end. `way`: with what the world holds.
const measured = (page) =>
  page.evaluate(() => {
    const { view, clock } = window.tandem;
    const { machine, stage, framing } = view;
    const v = stage.controls.target.clone();
    const range = { outside: 0, least: Infinity, way: 0, follow: framing.follow };
    const whole = [Infinity, -Infinity, Infinity, -Infinity];
    const widen = (box) => {
      v.project(stage.camera);
      [box[0], box[1]] = [Math.min(box[0], v.x), Math.max(box[1], v.x)];
      [box[2], box[3]] = [Math.min(box[2], v.y), Math.max(box[3], v.y)];
      range.outside = Math.max(range.outside, Math.abs(v.x), Math.abs(v.y));
    };
    const side = (box) => Math.max(box[1] - box[0], box[3] - box[2]) / 2;
    const samples = 20;
    for (let i = 0; i <= samples; ++i) {
      clock.seek(clock.from + ((clock.to - clock.from) * i) / samples);
      view.update();
      machine.group.updateMatrixWorld(true);
      const box = [Infinity, -Infinity, Infinity, -Infinity];
      for (const body of machine.bodies)
        body.children[0].traverse((each) => {
          const at = each.geometry?.getAttribute("position");
          const step = at ? Math.max(1, Math.floor(at.count / 200)) : 1;
          for (let k = 0; at && k < at.count; k += step)
            widen((v.fromBufferAttribute(at, k).applyMatrix4(each.matrixWorld), box));
        });
      if (i % (samples / 2) === 0) range.least = Math.min(range.least, side(box));
    }
    if (!framing.follow) for (const point of framing.points) widen((v.copy(point), whole));
    range.way = side(whole);
    clock.seek(clock.from);
    view.update();
    return range;
  });

function makeReport(model, name) {
  try {
    bench.tandem("run", model, "--quiet", "--force", "--report", `${name}.html`);
  } catch (error) {
    assert.equal(error.status, 3, `${name}: ${error.stderr}`); // what fails is shown too
  }
}

async function check(name, told) {
  const { page, context, faults } = await bench.page(`${name}.html`, screens[0]);
  for (const screen of screens) {
    await page.setViewportSize(screen);
    await page.waitForFunction(() => {
      const { canvas, element } = window.tandem.view;
      return Math.abs(canvas.clientWidth / canvas.clientHeight - canvas.width / canvas.height) < 0.01 && element;
    });
    await drawn(page);
    const { outside, least, way, follow } = await measured(page);
    const where = `${name}, ${screen.width} x ${screen.height}`;
    if (!(outside < 1)) told.push(`${where}: ${outside.toFixed(2)} of the half picture`);
    if (!follow && !(way > 0.8)) told.push(`${where}: all of its way fills ${way.toFixed(2)}`);
    if (!(least >= (swinging.includes(name) ? 0.2 : 1 / 3))) told.push(`${where}: it fills ${least.toFixed(2)}`);
  }
  assert.deepEqual(faults, [], name);
  await context.close();
}

test("every example is whole in the picture at all times, and not tiny", async () => {
  const names = [...bench.tandem("examples").matchAll(/^ {2}([a-z][a-z0-9-]+) {2}/gm)].map((match) => match[1]);
  assert.ok(names.length > 20, `${names}`);
  const told = [];
  for (const name of names) {
    makeReport(name, name);
    await check(name, told);
  }
  assert.deepEqual(told, []);
});

test("so are odd mechanisms", async () => {
  const told = [];
  for (const name of [
    ...["quick_return", "quick_return_not_redundant", "hooke", "two_wheels", "two_wheels_circle", "cart", "tricycle"],
    ...["cart_on_a_nose", "snake_wheels_5", "heavy_base", "heavy_globe", "massless_gimbal", "light_cart_pole"],
    ...["parallelogram", "hammer", "table-monotone", "pendulum-stands-still", "heap-overflow", "segv", "box-pulse"],
  ]) {
    makeReport(defect(name), name);
    await check(name, told);
  }
  assert.deepEqual(told, []);
});

test("the saved picture is that of the screen, and a camera moved by hand stays", async () => {
  makeReport(defect("quick_return"), "saved");
  const { page, context } = await bench.page("saved.html", screens[0]);
  for (const screen of screens) {
    await page.setViewportSize(screen);
    await drawn(page);
    const picture = page.waitForEvent("download");
    await page.click("button[aria-label='Save a picture']");
    const bytes = readFileSync(await (await picture).path());
    const [width, height] = await page.evaluate(() => [
      window.tandem.view.canvas.width,
      window.tandem.view.canvas.height,
    ]);
    assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [width, height]);
    assert.ok((await measured(page)).outside < 1);
  }
  const camera = () => page.evaluate(() => window.tandem.view.stage.camera.position.toArray());
  await page.evaluate(() => window.tandem.view.stage.orbit(0.3, 0.1, 0.7));
  const moved = await camera();
  await page.setViewportSize(screens[0]);
  await drawn(page);
  assert.deepEqual(await camera(), moved);
  await context.close();
});

// How far the picture of a body is from a point of the world.
const gaps = (page) =>
  page.evaluate(() => {
    const { view, report } = window.tandem;
    const { machine, framing } = view;
    view.update();
    machine.group.updateMatrixWorld(true);
    const v = view.stage.controls.target.clone();
    const out = [];
    report.model.joints.forEach((joint, i) => {
      const mark = machine.marks.joints[i];
      if (!joint.has_axis || !["revolute", "helical"].includes(joint.type)) return;
      const ends = [];
      mark.traverse((each) => {
        const at = each.geometry?.getAttribute("position");
        for (let k = 0; at && k < at.count; ++k)
          ends.push(v.fromBufferAttribute(at, k).applyMatrix4(each.matrixWorld).clone());
      });
      for (const { body } of [joint.first, joint.second]) {
        if (body < 0) continue;
        let least = Infinity;
        machine.bodies[body].children[0].traverse((each) => {
          const at = each.geometry?.getAttribute("position");
          for (let k = 0; at && k < at.count; ++k) {
            v.fromBufferAttribute(at, k).applyMatrix4(each.matrixWorld);
            for (const end of ends) least = Math.min(least, v.distanceTo(end));
          }
        });
        out.push([joint.name, report.model.bodies[body].name, least / framing.size]);
      }
    });
    return out;
  });

test("pins sit on the bodies that they join, also where pictures have an offset; arms reach to them", async () => {
  bench.file(
    "offset.toml",
    `format = 1
[[body]]
name = "crank"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0.5, 0, 0]
shape = { type = "rod", length = 0.6, position = [0, 0.2, 0] }
[[body]]
name = "plate"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [1.5, 0, 0]
shape = { type = "box", size = [0.3, 0.1, 0.3], position = [0, -0.2, 0] }
[[joint]]
name = "ground"
type = "revolute"
bodies = ["world", "crank"]
point = [0, -1, 0]
axis = [0, 1, 0]
[[joint]]
name = "pin"
type = "revolute"
bodies = ["crank", "plate"]
point = [1, 0.7, 0]
axis = [0, 1, 0]
[simulation]
duration = 0.1
step = 0.01
`,
  );
  makeReport("offset.toml", "offset");
  makeReport(defect("hooke"), "hooke");
  makeReport("four-bar", "four-bar");
  for (const name of ["offset", "hooke", "four-bar"]) {
    const { page, context, faults } = await bench.page(`${name}.html`);
    const found = await gaps(page);
    assert.ok(found.length >= 2, name);
    // By corners, which a pin has at its ends alone: half of its length is 0.029.
    for (const [joint, body, gap] of found) assert.ok(gap < 0.03, `${name}: ${joint} is ${gap} from ${body}`);
    assert.deepEqual(faults, []);
    await context.close();
  }
});
