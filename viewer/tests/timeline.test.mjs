// Time: speeds that fit the run, keys wherever the focus is, pictures and videos that show something.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Bench, drawn } from "./support.mjs";

const bench = new Bench();
before(async () => {
  await bench.open();
  bench.tandem("run", "squeezer", "--quiet", "--report", "squeezer.html");
  bench.tandem("run", "bicycle", "--duration", "5", "--quiet", "--report", "bicycle.html");
});
after(() => bench.close());

const speeds = (page) => page.$$eval("[aria-label=Speed] option", (all) => all.map((each) => Number(each.value)));
const clock = (page, what) => page.evaluate((what) => window.tandem.clock[what], what);

test("a short run can be watched: it lasts three seconds or more, and the list says how much slower", async () => {
  const { page, context, faults } = await bench.page("squeezer.html");
  const speed = await clock(page, "speed");
  assert.ok(0.03 / speed >= 3 && 0.03 / speed < 10, `${speed}`);
  const list = await speeds(page);
  for (const each of [0.1, 1, 10]) assert.ok(list.includes(each), `${each} is not among ${list}`);
  assert.ok(0.03 / list[0] >= 20, `${list}`);
  assert.equal(await page.$eval("[aria-label=Speed]", (list) => list.selectedOptions[0].textContent), `${speed}\u00d7`);
  await page.evaluate(() => window.tandem.clock.seek(0.01234));
  assert.equal(await page.inputValue("[aria-label='Time in seconds']"), "0.01234");
  assert.deepEqual(faults, []);
  await context.close();
});

test("the video of a short run, or of a fast one, is long enough to be seen", async () => {
  const { page, context, faults } = await bench.page("squeezer.html", { width: 500, height: 400 });
  await page.evaluate(() => window.tandem.clock.setSpeed(10));
  const video = page.waitForEvent("download");
  const begin = Date.now();
  await page.click("button[aria-label='Record a video']");
  const bytes = readFileSync(await (await video).path());
  assert.ok(Date.now() - begin > 1500, `${Date.now() - begin} ms`);
  assert.ok(bytes.length > 1000 && bytes.readUInt32BE(0) === 0x1a45dfa3, `${bytes.length} bytes`);
  assert.equal(await clock(page, "speed"), 10); // as it was
  assert.deepEqual(faults, []);
  await context.close();
});

test("keys work after a click on the scrubber, and step through the listed speeds", async () => {
  const { page, context, faults } = await bench.page("bicycle.html");
  await page.click(".scrub");
  const t = await clock(page, "t");
  await page.keyboard.press("ArrowRight");
  const step = (await clock(page, "t")) - t;
  assert.ok(step > 0.002 && step < 0.011, `${step}`); // to the next row
  await page.keyboard.press("ArrowRight");
  assert.ok(Math.abs((await clock(page, "t")) - t - step - 0.01) < 1e-9);
  await page.keyboard.press("Space");
  assert.equal(await clock(page, "playing"), true);
  await page.keyboard.press("Space");
  assert.equal(await clock(page, "playing"), false);
  const list = await speeds(page);
  for (const [key, by] of [...Array(3).fill([".", 1]), ...Array(9).fill([",", -1])]) {
    const at = list.indexOf(await clock(page, "speed"));
    await page.keyboard.press(key);
    const speed = await clock(page, "speed");
    assert.equal(speed, list[Math.min(list.length - 1, Math.max(0, at + by))]);
    assert.equal(Number(await page.inputValue("[aria-label=Speed]")), speed);
  }
  assert.equal(await clock(page, "speed"), 0.1);
  assert.deepEqual(faults, []);
  await context.close();
});

test("sliders other than the time keep their keys", async () => {
  bench.tandem("linearize", "bicycle", "--sweep", "v=0:10:11", "--report", "modes.html");
  const { page, context } = await bench.page("modes.html");
  await page.focus("[aria-label='Point of the sweep']");
  const before = Number(await page.inputValue("[aria-label='Point of the sweep']"));
  await page.keyboard.press("ArrowRight");
  assert.equal(Number(await page.inputValue("[aria-label='Point of the sweep']")), before + 1);
  await context.close();
});

test("the list of keys opens at its top", async () => {
  const { page, context } = await bench.page("bicycle.html", { width: 390, height: 500 });
  await page.click("button[aria-label='Keyboard shortcuts']");
  assert.equal(await page.$eval("dialog.help", (dialog) => dialog.scrollTop), 0);
  assert.ok(await page.isVisible("dialog.help h2"));
  await page.keyboard.press("Escape");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("?");
  assert.equal(await page.$eval("dialog.help", (dialog) => dialog.scrollTop), 0);
  await context.close();
});

test("a saved picture has the names and the scale that are shown", async () => {
  const { page, context } = await bench.page("bicycle.html");
  const save = async () => {
    await drawn(page);
    const picture = page.waitForEvent("download");
    await page.click("button[aria-label='Save a picture']");
    return readFileSync(await (await picture).path());
  };
  const set = (more) =>
    page.evaluate((more) => (Object.assign(window.tandem.view.options, more), window.tandem.view.apply()), more);
  const plain = await save();
  assert.ok(plain.equals(await save()), "the same picture twice differs");
  await set({ labels: true });
  assert.ok(!plain.equals(await save()), "names are missing");
  // Arrows of this run begin at zero length only in theory: only the text of the scale changes here.
  await set({ labels: false });
  await page.evaluate(() => (document.querySelector(".scale").textContent = "another scale"));
  assert.ok(!plain.equals(await save()), "the scale is missing");
  await context.close();
});
