// Reports of other kinds, and of models that mean harm.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Bench, colours, policies } from "./support.mjs";

const bench = new Bench();
before(() => bench.open());
after(() => bench.close());

test("names of a hostile model are inert text", async () => {
  const evil = "<img src=x onerror='window.harmed=1'>";
  const worse = "</script><script>window.harmed=2</script>";
  bench.file(
    "evil.toml",
    `format = 1
title = "${worse}"
[[body]]
name = "${evil}"
mass = 1
shape = { type = "rod", length = 1 }
position = [0.5, 0, 0]
[[joint]]
name = "${worse}"
type = "revolute"
bodies = ["world", "${evil}"]
point = [0, 0, 0]
axis = [0, 1, 0]
[[output]]
name = "<b>angle</b>"
quantity = "coordinate"
joint = "${worse}"
[simulation]
duration = 0.2
step = 0.01
`,
  );
  bench.tandem("run", "evil.toml", "--quiet", "--report", "evil.html");
  const { page, context, faults } = await bench.page("evil.html");
  assert.equal(await page.textContent("h1"), worse);
  await page.click("[role=tab]:text-is('Parts')");
  await page.click(".thing >> nth=0");
  assert.equal(await page.textContent(".chosen"), evil);
  await page.evaluate(() => {
    window.tandem.view.options.labels = true;
    window.tandem.view.apply();
  });
  await page.click("[role=tab]:text-is('Plots')");
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => window.harmed), undefined);
  assert.equal(await page.evaluate(() => document.querySelectorAll("img, b").length), 0);
  assert.equal(await page.evaluate(() => document.querySelectorAll("script").length), 3);
  assert.deepEqual(faults, []);
  assert.deepEqual(await policies(page), []);
  await context.close();
});

test("the empty frame says so, and harm in the address changes nothing", async () => {
  bench.tandem("run", "top", "--duration", "0.2", "--quiet", "--report", "top.html");
  const { page, context, faults } = await bench.page("top.html#<img src=x onerror=alert(1)>");
  assert.ok((await colours(page)) > 60);
  assert.deepEqual(faults, []);
  await context.close();
});
