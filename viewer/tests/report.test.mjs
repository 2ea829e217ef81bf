// The report of a run, as a user meets it.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import { axeFaults, Bench, colours, drawn, policies } from "./support.mjs";

const bench = new Bench();
let page, context, faults;

before(async () => {
  await bench.open();
  bench.tandem("run", "bicycle", "--duration", "5", "--quiet", "--report", "bicycle.html");
  ({ page, context, faults } = await bench.page("bicycle.html"));
});
after(() => bench.close());

test("the report of the bicycle is small and refers to nothing outside", () => {
  const { size } = statSync(bench.file("bicycle.html"));
  console.log(`report of the bicycle over 5 s: ${(size / 1e6).toFixed(2)} MB`);
  assert.ok(size < 3e6, `${size} bytes`);
  const text = readFileSync(bench.file("bicycle.html"), "utf8");
  assert.match(text, /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/);
  assert.doesNotMatch(text, /(?:src|href)=["']?(?:https?:)?\/\//);
  assert.doesNotMatch(text, /unsafe-inline|unsafe-eval/);
});

test("it loads without a complaint, and the canvas is not blank", async () => {
  assert.equal(await page.textContent("h1"), "Benchmark bicycle, hands free");
  assert.match(await page.textContent(".badge"), /Trusted/);
  assert.ok((await colours(page)) > 60);
  assert.deepEqual(faults, []);
  assert.deepEqual(await policies(page), []);
});

test("pressing play moves the wheels", async () => {
  const first = await page.locator("canvas.canvas").screenshot();
  const before = await page.evaluate(() => [...window.tandem.view.machine.poses]);
  await page.click("button[aria-label='Play']");
  // It spins: sooner or later y of the quaternion of the rear wheel is another.
  await page.waitForFunction((y) => Math.abs(window.tandem.view.machine.poses[4] - y) > 0.2, before[4]);
  const second = await page.locator("canvas.canvas").screenshot();
  await page.click("button[aria-label='Pause']");
  await drawn(page);
  assert.ok(!first.equals(second), "two pictures are the same");
  assert.equal(await page.evaluate(() => window.tandem.clock.playing), false);
});

test("scrubbing moves the plot cursor and the typed time", async () => {
  const place = () => page.evaluate(() => document.querySelector(".playhead").getBoundingClientRect().x);
  await page.locator(".scrub").fill("2000");
  const left = await place();
  await page.locator(".scrub").fill("8000");
  const right = await place();
  assert.ok(right > left + 50, `${left} to ${right}`);
  assert.equal(await page.inputValue("[aria-label='Time in seconds']"), "4.000");
  await page.fill("[aria-label='Time in seconds']", "1.25");
  await page.press("[aria-label='Time in seconds']", "Enter");
  assert.equal(await page.evaluate(() => window.tandem.clock.t), 1.25);
  const over = await page.locator(".u-over").first().boundingBox();
  await page.mouse.click(over.x + over.width / 2, over.y + over.height / 2);
  assert.ok(Math.abs((await page.evaluate(() => window.tandem.clock.t)) - 2.5) < 0.3);
});

test("the speed is kept between 0.1 and 10, and a range loops", async () => {
  await page.selectOption("[aria-label=Speed]", "10");
  assert.equal(await page.evaluate(() => window.tandem.clock.speed), 10);
  await page.evaluate(() => {
    const { clock } = window.tandem;
    clock.setLoop(2, 3);
    clock.toggleLoop(true);
    clock.seek(2.9);
    clock.play(true);
    clock.advance(0.02);
    window.wrapped = clock.t;
    clock.play(false);
    clock.toggleLoop(false);
    clock.setSpeed(1);
  });
  const wrapped = await page.evaluate(() => window.wrapped);
  assert.ok(wrapped >= 2 && wrapped < 2.2, `${wrapped}`);
});

test("a click on a body shows its name and its numbers", async () => {
  await page.evaluate(() => window.tandem.clock.seek(0));
  await drawn(page);
  const at = await page.evaluate(() => {
    const { view } = window.tandem;
    const { x, y, width, height } = view.canvas.getBoundingClientRect();
    const point = view.stage.controls.target.clone();
    view.machine.poses.slice(21, 24).forEach((value, k) => point.setComponent(k, value)); // the front hub
    point.project(view.stage.camera);
    return [x + ((point.x + 1) / 2) * width, y + ((1 - point.y) / 2) * height];
  });
  await page.evaluate(() => (window.tandem.view.options.joints = false) || window.tandem.view.apply());
  await page.mouse.click(...at);
  const chosen = await page.textContent(".chosen");
  assert.ok(["front_wheel", "fork"].includes(chosen), chosen);
  assert.match(await page.textContent(".numbers"), /mass centre/);
  await page.check("label:has-text('Trail of the point you clicked') input");
  assert.equal(await page.evaluate(() => window.tandem.view.trails.group.children.length), 3); // two wheels and the point
  await page.click(".thing:text-is('steer')");
  await page.check("label:has-text('Trail of the joint') input");
  assert.equal(await page.textContent(".chosen"), "steer");
  assert.match(await page.textContent(".numbers"), /force.*N/);
  await page.evaluate(() => (window.tandem.view.options.joints = true) && window.tandem.view.apply());
});

test("keys alone do", async () => {
  await page.reload();
  await page.waitForFunction(() => window.tandem !== undefined);
  await drawn(page);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Escape");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("ArrowRight");
  assert.ok(Math.abs((await page.evaluate(() => window.tandem.clock.t)) - 0.01) < 1e-9);
  await page.keyboard.press("End");
  assert.equal(await page.evaluate(() => window.tandem.clock.t), 5);
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  assert.equal(await page.evaluate(() => window.tandem.clock.playing), true);
  await page.keyboard.press("Space");
  assert.equal(await page.evaluate(() => window.tandem.clock.playing), false);
  await page.keyboard.press("n");
  assert.equal(await page.textContent(".chosen"), "rear_wheel");
  await page.keyboard.press("?");
  assert.ok(await page.isVisible("dialog.help"));
  await page.keyboard.press("Escape");
  // Every control can be reached: tabs through the page until focus comes round.
  const reached = new Set();
  for (let i = 0; i < 80; ++i) {
    await page.keyboard.press("Tab");
    reached.add(
      await page.evaluate(
        () => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent,
      ),
    );
  }
  for (const name of ["Play", "Time", "Speed", "Save a picture", "Parts", "steer"])
    assert.ok(reached.has(name), `"${name}" cannot be reached by tab: ${[...reached].join(", ")}`);
});

test("axe finds no serious fault, light and dark, on every page", async () => {
  assert.deepEqual(await axeFaults(page, ["Plots", "Parts", "Health"]), []);
});

test("a picture and a video can be saved", async () => {
  const picture = page.waitForEvent("download");
  await page.click("button[aria-label='Save a picture']");
  const saved = readFileSync(await (await picture).path());
  assert.equal(saved.subarray(1, 4).toString(), "PNG");
  await page.evaluate(() => {
    const { clock } = window.tandem;
    clock.setLoop(0, 1.5);
    clock.toggleLoop(true);
  });
  const video = page.waitForEvent("download");
  await page.click("button[aria-label='Record a video']");
  const film = await video;
  assert.equal(film.suggestedFilename(), "bicycle.webm");
  const bytes = readFileSync(await film.path());
  assert.ok(bytes.length > 1000 && bytes.readUInt32BE(0) === 0x1a45dfa3, `${bytes.length} bytes`);
});

test("nothing was complained about in all this", async () => {
  assert.deepEqual(faults, []);
  assert.deepEqual(await policies(page), []);
  await context.close();
});

test("it works on a phone: all is there, nothing is wider than the screen", async () => {
  const phone = await bench.page("bicycle.html", { width: 390, height: 780, hasTouch: true, isMobile: true });
  const wide = await phone.page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide} pixels wide`);
  assert.ok(await phone.page.isVisible("button[aria-label='Play']"));
  await phone.page.tap("[role=tab]:text-is('Parts')");
  await phone.page.tap(".thing:text-is('frame')");
  assert.equal(await phone.page.textContent(".chosen"), "frame");
  assert.deepEqual(phone.faults, []);
  await phone.context.close();
});

test("a run that finished and is wrong says so, with its reasons", async () => {
  const spring = `format = 1
gravity = [0, 0, 0]
[[body]]
name = "m"
mass = 1
point_mass = true
position = [1, 0, 0]
[[force]]
type = "spring_damper"
bodies = ["world", "m"]
stiffness = 1e6
length = 0.5
`;
  bench.file("stiff.toml", spring);
  bench.tandem("run", "stiff.toml", "--duration", "0.1", "--quiet", "--report", "stiff.html");
  const wrong = await bench.page("stiff.html");
  assert.equal((await wrong.page.textContent(".badge")).trim(), "Not to be trusted");
  assert.match(await wrong.page.getAttribute(".badge", "class"), /\bbad\b/);
  await wrong.page.click(".badge");
  assert.match(
    await wrong.page.textContent(".reasons li"),
    /^Not to be trusted: the energy balance is off by 1\.64e\+00 of the energy that moved/,
  );
  assert.match(await wrong.page.textContent(".health tr.bad .mark"), /^not to be trusted$/);
  assert.deepEqual(wrong.faults, []);
  assert.deepEqual(await axeFaults(wrong.page, ["Health"]), []);
  await wrong.context.close();
});
