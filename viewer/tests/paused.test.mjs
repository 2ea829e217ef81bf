// While the time stands still, all that is shown belongs to it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Bench, drawn } from "./support.mjs";

const bench = new Bench();
let page, context, faults;

before(async () => {
  await bench.open();
  bench.tandem("run", "bicycle", "--duration", "5", "--quiet", "--report", "bicycle.html");
  ({ page, context, faults } = await bench.page("bicycle.html"));
});
after(() => bench.close());

const cells = () => page.$$eval(".numbers td", (all) => all.map((each) => each.textContent));
const tab = (name) => page.click(`[role=tab]:text-is('${name}')`);
// How far the line in a plot is from the time that is shown, in pixels, over all plots.
const cursorError = () =>
  page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const { clock } = window.tandem;
    const share = (clock.t - clock.from) / (clock.to - clock.from);
    const errors = [...document.querySelectorAll(".u-over")].map((over) => {
      const { left, width } = over.getBoundingClientRect();
      const head = over.querySelector(".playhead").getBoundingClientRect();
      return Math.abs(head.left + head.width / 2 - left - share * width);
    });
    return Math.max(...errors);
  });

test("a part chosen while another page is open shows its numbers", async () => {
  await page.evaluate(() => window.tandem.clock.seek(2));
  for (const kind of ["body", "joint", "constraint"]) {
    await tab("Plots");
    await page.evaluate((kind) => window.tandem.view.select({ kind, index: 1 }), kind);
    const values = await cells();
    assert.ok(values.length > 2, kind);
    for (const value of values) assert.notEqual(value, "", `${kind}: ${values}`);
  }
  await tab("Plots");
  await page.keyboard.press("n");
  for (const value of await cells()) assert.notEqual(value, "");
});

test("numbers of a page that is opened belong to the time that is shown", async () => {
  await tab("Parts");
  await page.evaluate(() => window.tandem.view.select({ kind: "body", index: 0 }));
  await tab("Plots");
  await page.evaluate(() => window.tandem.clock.seek(1));
  await tab("Parts");
  const shown = await cells();
  await page.evaluate(() => window.tandem.clock.changed());
  assert.deepEqual(shown, await cells());

  await tab("Plots");
  const readouts = () => page.$$eval(".legend .value", (all) => all.map((each) => each.textContent));
  await tab("Parts");
  await page.evaluate(() => window.tandem.clock.seek(4));
  await tab("Plots");
  assert.ok((await cursorError()) < 1.5);
  const read = await readouts();
  await page.evaluate(() => window.tandem.clock.changed());
  assert.deepEqual(read, await readouts());
});

test("attitudes are those of the time, not of the picture before", async () => {
  await tab("Parts");
  await page.evaluate(() => window.tandem.view.select({ kind: "body", index: 1 }));
  const attitude = () =>
    page.$$eval(".numbers tr", (rows) => rows.find((row) => row.textContent.startsWith("yaw")).textContent);
  await page.evaluate(() => window.tandem.clock.seek(0));
  await drawn(page);
  await page.evaluate(() => window.tandem.clock.seek(3));
  const shown = await attitude();
  await drawn(page);
  await page.evaluate(() => window.tandem.clock.changed());
  assert.equal(shown, await attitude());
});

test("the line in a plot stays at the time when the plot is drawn anew", async () => {
  await tab("Plots");
  await page.evaluate(() => window.tandem.clock.seek(3.5));
  assert.ok((await cursorError()) < 1.5);
  await page.click("text=Add a plot");
  assert.ok((await cursorError()) < 1.5, "a new plot");
  await page.selectOption("[aria-label='What plot 1 shows']", { label: "Momentum" });
  assert.ok((await cursorError()) < 1.5, "another preset");
  await page.keyboard.press("d");
  await page.evaluate(() => window.tandem.setTheme("dark"));
  assert.ok((await cursorError()) < 1.5, "another theme");
  await page.setViewportSize({ width: 1100, height: 620 });
  await page.setViewportSize({ width: 700, height: 620 });
  await page.waitForTimeout(200);
  assert.ok((await cursorError()) < 1.5, "another width");
});

test("nothing was complained about in all this", async () => {
  assert.deepEqual(faults, []);
  await context.close();
});
