// What a frame costs the script when there are many bodies. The draw call is not counted.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Bench } from "./support.mjs";

const bench = new Bench();
before(() => bench.open());
after(() => bench.close());

function chain(count) {
  let text = `format = 1\ntitle = "A chain of ${count}"\n`;
  for (let i = 0; i < count; ++i)
    text += `[[body]]\nname = "link${i}"\nmass = 1\nshape = { type = "rod", length = 1 }\nposition = [${i + 0.5}, 0, 0]
[[joint]]\nname = "hinge${i}"\ntype = "revolute"\nbodies = ["${i === 0 ? "world" : `link${i - 1}`}", "link${i}"]
point = [${i}, 0, 0]\naxis = [0, 1, 0]\n`;
  return `${text}[simulation]\nstep = 0.01\nduration = 0.5\n`;
}

test("a frame of a hundred bodies takes little script time", async () => {
  bench.file("chain.toml", chain(100));
  bench.tandem("run", "chain.toml", "--quiet", "--report", "chain.html");
  const { page, context, faults } = await bench.page("chain.html");
  // The median of many frames, and the best of several tries: other work on the machine only makes it longer.
  const once = () =>
    page.evaluate(() => {
      const { view, clock } = window.tandem;
      Object.assign(view.options, { labels: true, reactions: true });
      view.apply();
      const times = [];
      for (let i = 0; i < 120; ++i) {
        const begin = performance.now();
        clock.seek((0.5 * i) / 120); // the timeline and the plots follow
        view.update();
        times.push(performance.now() - begin);
      }
      return times.sort((a, b) => a - b)[60];
    });
  let best = Infinity;
  for (let tries = 0; tries < 10 && !(tries >= 3 && best < 8); ++tries) best = Math.min(best, await once());
  console.log(`script time a frame for 100 bodies, names and reactions shown: ${best.toFixed(2)} ms (goal: 8 ms)`);
  assert.ok(best < 8, `${best} ms`);
  assert.deepEqual(faults, []);
  await context.close();
});
