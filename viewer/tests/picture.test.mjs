// The picture: what must be in it, and in which colours.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Bench } from "./support.mjs";

const bench = new Bench();
before(() => bench.open());
after(() => bench.close());

// World points in the picture: true for each that is inside, from -1 to 1 across.
const inside = (page, points) =>
  page.evaluate((points) => {
    const { view } = window.tandem;
    return points.map((point) => {
      const at = view.stage.controls.target.clone().set(...point);
      at.project(view.stage.camera);
      return Math.abs(at.x) < 1 && Math.abs(at.y) < 1;
    });
  }, points);

test("what the world holds is in the picture and has a mark, at either end", async () => {
  bench.tandem("run", "rope-bridge", "--duration", "0.1", "--quiet", "--report", "bridge.html");
  bench.tandem("run", "squeezer", "--quiet", "--report", "squeezer.html");
  for (const [file, count] of [
    ["bridge.html", 4],
    ["squeezer.html", 1],
  ]) {
    const { page, context, faults } = await bench.page(file);
    const ends = await page.evaluate(() => {
      const { model } = window.tandem.report;
      const ends = [
        ...model.constraints.filter(({ type }) => type === "distance").flatMap(({ first, second }) => [first, second]),
        ...model.forces.filter(({ type }) => type === "spring_damper").flatMap(({ points }) => points),
      ];
      return ends.filter(({ body }) => body < 0).map(({ p }) => p);
    });
    assert.equal(ends.length, count, file);
    assert.deepEqual(await inside(page, ends), Array(count).fill(true), file);
    const anchors = await page.evaluate(() => window.tandem.view.machine.anchors.map(({ position }) => [...position]));
    for (const end of ends)
      assert.ok(
        anchors.some((at) => Math.hypot(...at.map((x, k) => x - end[k])) < 1e-9),
        `${file}: no mark at ${end}`,
      );
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test("a machine that is pinned to the world is not followed: all its way is in the picture", async () => {
  bench.tandem("run", "heavy-top", "--quiet", "--report", "top.html");
  const { page, context } = await bench.page("top.html");
  assert.equal(await page.evaluate(() => window.tandem.view.options.follow), false);
  const way = await page.evaluate(() => {
    const { view, clock } = window.tandem;
    return [0.2, 0.5, 0.75, 1.1, 1.6, 2].map((t) => {
      clock.seek(t);
      view.update();
      return [...view.machine.poses.slice(0, 3)];
    });
  });
  assert.deepEqual(await inside(page, way), Array(6).fill(true));
  await context.close();
});

test("what falls away has no ground, and the picture tells no scale of one", async () => {
  bench.tandem("run", "distance", "--quiet", "--report", "falling.html");
  const { page, context } = await bench.page("falling.html");
  assert.equal(await page.isVisible(".scale"), false);
  await page.evaluate(() => ((window.tandem.view.options.ground = true), window.tandem.view.apply()));
  assert.match(await page.textContent(".scale"), /grid/);
  await context.close();
});

test("bodies that lie in one plane do not flicker: each has a depth of its own", async () => {
  bench.tandem("run", "squeezer", "--quiet", "--report", "flat.html");
  const { page, context } = await bench.page("flat.html");
  const depths = await page.evaluate(() =>
    window.tandem.view.machine.bodies.map((body) => {
      const found = new Set();
      body.children[0].traverse(({ material }) => material && found.add(material.polygonOffsetUnits));
      return [...found];
    }),
  );
  for (const each of depths) assert.equal(each.length, 1);
  assert.equal(new Set(depths.flat()).size, 7);
  await context.close();
});

test("in the dark no part is dark", async () => {
  bench.tandem("run", "bicycle", "--duration", "0.1", "--quiet", "--report", "bicycle.html");
  const { page, context } = await bench.page("bicycle.html");
  const darkest = (theme) =>
    page.evaluate((theme) => {
      window.tandem.setTheme(theme);
      let least = 1;
      window.tandem.view.machine.group.traverse(({ material }) => {
        if (!material?.isMeshStandardMaterial) return;
        const { r, g, b } = material.color;
        least = Math.min(least, 0.2126 * r + 0.7152 * g + 0.0722 * b);
      });
      return least;
    }, theme);
  const light = await darkest("light");
  assert.ok((await darkest("dark")) > 0.12);
  assert.equal(await darkest("light"), light); // and back
  await context.close();
});

test("ghosts have the colours of their curves, and the scale tells how they are magnified", async () => {
  bench.tandem(
    ...["compare", "two-body", "--duration", "1", "--methods", "lagrange,null_space,impulses", "--report", "two.html"],
  );
  const { page, context } = await bench.page("two.html");
  const ghosts = await page.evaluate(() => window.tandem.view.ghosts.map(({ color }) => color));
  const colour = (selector) =>
    page.$$eval(selector, (all) => all.map((each) => getComputedStyle(each).backgroundColor));
  const rgb = (hex) => `rgb(${[1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)).join(", ")})`;
  const curves = await colour(".plot:first-child .legend .swatch");
  assert.deepEqual(curves, ghosts.map(rgb));
  assert.deepEqual(await colour(".compare .swatch"), curves);
  await page.click("[role=tab]:text-is('Compare')");
  await page.selectOption("[aria-label='Magnification of differences']", "10");
  assert.match(await page.textContent(".scale"), /differences \u00d7 10/);
  await page.selectOption("[aria-label='Magnification of differences']", "1");
  assert.doesNotMatch(await page.textContent(".scale"), /differences/);
  await context.close();
});

test("a bad run's marks are words, not letters below each other", async () => {
  bench.tandem("run", "squeezer", "--step", "0.001", "--integrator", "rk4", "--quiet", "--report", "coarse.html");
  const { page, context } = await bench.page("coarse.html");
  await page.click("[role=tab]:text-is('Health')");
  const lines = await page.$$eval("td.mark", (all) =>
    all.flatMap((each) => {
      const range = document.createRange();
      range.selectNodeContents(each);
      return each.textContent === "not to be trusted" ? [range.getClientRects().length] : [];
    }),
  );
  assert.deepEqual(lines, [2, 2]); // the energy balance and the residual
  // Whatever stands beside them: words are never broken.
  assert.equal(await page.$eval("td.mark", (each) => getComputedStyle(each).overflowWrap), "normal");
  await context.close();
});

test("on a phone the loop range can be set, and the tabs stay in sight", async () => {
  bench.tandem("run", "bicycle", "--duration", "2", "--quiet", "--report", "phone.html");
  const { page, context } = await bench.page("phone.html", { width: 390, height: 780, hasTouch: true, isMobile: true });
  await page.tap("button[aria-label=Loop]");
  assert.ok(await page.isVisible("[aria-label='Loop from, in seconds']"));
  await page.fill("[aria-label='Loop to, in seconds']", "1.5");
  await page.press("[aria-label='Loop to, in seconds']", "Enter");
  assert.deepEqual(await page.evaluate(() => window.tandem.clock.loop), [0, 1.5]);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await page.evaluate(() => window.scrollTo(0, 400));
  await page.waitForTimeout(100);
  const covered = await page.$eval("[role=tab]:last-child", (tab) => {
    const { x, y, width, height } = tab.getBoundingClientRect();
    return !tab.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  });
  assert.equal(covered, false);
  await context.close();
});
