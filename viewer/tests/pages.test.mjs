// Reports of other kinds, and of models that mean harm.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { axeFaults, Bench, colours, policies } from "./support.mjs";

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

test("a page without data, or with damaged data, says so", async () => {
  bench.tandem("run", "top", "--duration", "0.2", "--quiet", "--report", "top.html");
  const whole = readFileSync(bench.file("top.html"), "utf8");
  bench.file("empty.html", whole.replace(/<script type="application\/json"[^]*?<\/script>/, ""));
  bench.file("damaged.html", whole.replace('"format":1', '"format":1,,'));
  const page = await bench.browser.newPage();
  for (const [file, text] of [
    ["empty.html", /This page is empty/],
    ["damaged.html", /This report cannot be shown/],
    ["top.html#<img src=x onerror=alert(1)>", /Heavy symmetric top/],
  ]) {
    await page.goto(`file://${bench.file(file)}`);
    assert.match(await page.textContent("#app"), text);
  }
  await page.close();
});

test("a comparison shows ghosts, their differences, and the verdict", async () => {
  bench.tandem(
    "compare",
    "two-body",
    "--duration",
    "2",
    "--methods",
    "lagrange,null_space,impulses",
    "--report",
    "two.html",
  );
  const { page, context, faults } = await bench.page("two.html");
  assert.match(await page.textContent(".badge"), /Methods agree/);
  const ghosts = await page.evaluate(() => window.tandem.view.ghosts.map(({ name }) => name));
  assert.deepEqual(ghosts, ["null_space, cut loops", "impulses, cut all"]);
  assert.match(await page.textContent(".legend"), /impulses/);
  await page.click("[role=tab]:text-is('Compare')");
  await page.selectOption("[aria-label='Magnification of differences']", "100");
  // A hundred times the recorded difference, to the precision of the numbers in the file.
  const [shown, recorded] = await page.evaluate(() => {
    const { view, clock, report } = window.tandem;
    clock.seek(2);
    view.update();
    const ghost = view.ghosts[1].machine.poses[0] - view.machine.poses[0];
    return [ghost, report.ghosts[1].columns[2].values[report.ghosts[1].rows - 1]];
  });
  assert.ok(
    Math.abs(recorded) > 0 && Math.abs(shown - 100 * recorded) < 1e-6 * Math.abs(shown),
    `${shown}, ${recorded}`,
  );
  await page.uncheck(".compare li >> nth=1 >> input");
  assert.equal(await page.evaluate(() => window.tandem.view.ghosts[1].machine.group.visible), false);
  assert.deepEqual(faults, []);
  assert.deepEqual(await policies(page), []);
  await context.close();
});

// Lines of text as words, so that what is aligned differently is the same.
const words = (text) => text.replace(/\s+/g, " ").trim();
const tableRows = (page, title) =>
  page.$$eval(`.wide-table[aria-label=${title}] tr`, (rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent)),
  );

test("the page of a comparison shows the numbers, the sentence and the horizon that the program prints", async () => {
  const printed = bench.tandem(
    ...["compare", "chain", "--set", "angle=3", "--duration", "6", "--step", "0.01", "--tolerance", "1e-8"],
    ...["--methods", "lagrange,null_space,impulses", "--report", "chaos.html"],
  );
  const lines = printed.split("\n").map(words);
  const { page, context, faults } = await bench.page("chaos.html");
  assert.equal(words(await page.textContent(".badge")), "Methods agree");
  assert.equal(lines[0], "chain: agree");
  const sentence = words(await page.textContent(".sentence"));
  assert.equal(sentence, lines[2]);
  const horizon = Number(/up to t = ([0-9.]+) s/.exec(sentence)[1]);
  assert.ok(Math.abs((await page.evaluate(() => window.tandem.clock.to)) - horizon) < 1e-3, "the motion ends there");
  const methods = await tableRows(page, "Methods");
  assert.equal(methods.length, 4);
  for (const row of methods) assert.ok(lines.includes(words(row.join(" "))), `${row}`);
  const checks = await tableRows(page, "Checks");
  assert.ok(checks.length > 6);
  for (const [name, word, detail] of checks.slice(1))
    assert.ok(lines.includes(words(`${word} ${name} ${detail}`)), `${name}: ${detail}`);
  for (const note of await page.$$eval(".health > .hint", (all) => all.map((each) => each.textContent)))
    assert.ok(note.startsWith("Made by") || lines.includes(words(note)), note);
  // Beside every ghost stand its numbers of the table, and its curves end there and go as high.
  await page.click("[role=tab]:text-is('Compare')");
  const beside = await page.$$eval(".compare li .value", (all) => all.map((each) => each.textContent));
  const rows = methods.slice(2);
  assert.deepEqual(
    beside,
    rows.map((row) => `pose ${row[2]}, velocity ${row[3]}: ${row[9]}`),
  );
  const most = await page.evaluate(() =>
    window.tandem.report.ghosts.map((table) => [
      table.name,
      table.t[table.rows - 1],
      ...[0, 1].map((k) => table.columns[k].values.reduce((a, b) => Math.max(a, b), 0).toExponential(1)),
    ]),
  );
  const plain = (number) => Number(number).toExponential(1);
  most.forEach(([name, end, pose, velocity], i) => {
    assert.equal(name, `${rows[i][0]}, cut ${rows[i][1]}`);
    assert.ok(end <= horizon + 1e-3, `${name} goes on to ${end}`);
    assert.deepEqual([pose, velocity], [plain(rows[i][2]), plain(rows[i][3])], name);
  });
  assert.deepEqual(faults, []);
  await context.close();
});

test("the page of a run says what the program prints, and stars what it stars", async () => {
  const linkage = fileURLToPath(new URL("../../tests/defects/quick_return.toml", import.meta.url));
  const lines = bench
    .tandem("run", linkage, "--duration", "0.2", "--out", "linkage.h5", "--report", "linkage.html")
    .split("\n")
    .map(words);
  bench.tandem("view", "linkage.h5", "--out", "again.html");
  for (const file of ["linkage.html", "again.html"]) {
    const { page, context, faults } = await bench.page(file);
    const badge = words(await page.textContent(".badge"));
    assert.ok(lines.includes(badge.toLowerCase()), badge);
    const outputs = await tableRows(page, "Outputs");
    assert.ok(outputs.length > 5);
    for (const row of outputs) assert.ok(lines.includes(words(row.join(" "))), `${row}`);
    const starred = outputs.filter(([name]) => name.endsWith(" *")).map(([name]) => name.slice(0, -2));
    assert.deepEqual(starred, ["pin A", "pin O4"]);
    const reasons = await page.$$eval(".reasons li", (all) => all.map((each) => each.textContent));
    for (const reason of reasons) {
      const text = words(reason.replace(/^[^:]*: /, ""));
      assert.ok(
        lines.some((line) => line.endsWith(text)),
        reason,
      );
    }
    // In plots: the same outputs, and of the reactions those of which any part is shared.
    await page.selectOption("[aria-label='What plot 1 shows']", { label: "Outputs in N" });
    assert.deepEqual(
      await page.$$eval(".plot:first-child .legend .name", (all) => all.map((each) => each.textContent)),
      ["pin A *", "pin A x", "pin O4 *"],
    );
    // In the numbers of a part: each component by itself.
    await page.evaluate(() => window.tandem.view.select({ kind: "joint", index: 1 }));
    const force = await page.$$eval(".numbers tr", (all) =>
      all.map((row) => row.textContent).find((text) => text.startsWith("force x, y, z")),
    );
    assert.match(force, /^force x, y, z[^,*]+, [^,*]+ \*, [^,*]+ N$/);
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test("modes: a click on a point of a curve plays its mode", async () => {
  bench.tandem("linearize", "bicycle", "--sweep", "v=0:10:41", "--report", "modes.html");
  const { page, context, faults } = await bench.page("modes.html");
  assert.match(await page.textContent(".modes"), /Stable: v from 4\.29238254 to 6\.02426202\./);
  const over = await page.locator(".modes .u-over").nth(1).boundingBox();
  await page.mouse.click(over.x + 0.9 * over.width, over.y + 0.2 * over.height);
  const facts = await page.textContent(".modes table");
  assert.match(facts, /v9(\.\d+)? m\/s/); // near the right end
  assert.equal(
    await page
      .inputValue("[aria-label=Mode]")
      .then(Number)
      .then((i) => page.evaluate((k) => window.tandem.report.modes.modes[k].name, i)),
    "weave",
  );
  assert.equal(await page.evaluate(() => window.tandem.clock.playing), true);
  const leans = await page.evaluate(() => {
    const { view, clock } = window.tandem;
    clock.play(false);
    return [0, 0.25, 0.5, 0.75].map((share) => {
      clock.seek(share * clock.to);
      view.update();
      return view.machine.poses[7 + 3]; // x of the frame's quaternion: its lean
    });
  });
  assert.ok(Math.max(...leans) - Math.min(...leans) > 0.02, `${leans}`);
  // The same by keys: the lists.
  await page.selectOption("[aria-label=Mode]", { label: "capsize" });
  assert.match(await page.textContent(".modes table"), /frequency0 rad\/s/);
  assert.deepEqual(faults, []);
  assert.deepEqual(await policies(page), []);
  await context.close();
});

test("modes: a pair is one entry, and what is neutral is called so", async () => {
  bench.tandem("linearize", "bicycle", "--sweep", "v=0:10:41", "--report", "pairs.html");
  const { page, context, faults } = await bench.page("pairs.html");
  const entries = () => page.$$eval("[aria-label=Mode] option", (all) => all.map((each) => each.textContent));
  assert.deepEqual((await entries()).sort(), ["capsize", "castering", "neutral", "weave"]);
  assert.match(await page.textContent(".modes table"), /\u00b1/);
  const legend = await page.$$eval(".modes .legend li", (all) => all.map((each) => each.textContent));
  assert.equal(legend.filter((text) => text === "weave").length, 1, `${legend}`);
  await page.selectOption("[aria-label=Mode]", { label: "neutral" });
  assert.match(await page.textContent(".modes table"), /neutral: neither grows nor decays/);
  assert.doesNotMatch(await page.textContent(".modes table"), /e[+-]\d\d/);
  // Standing still the two of the weave are apart, and one can tell which is which.
  await page.fill("[aria-label='Point of the sweep']", "0");
  const apart = (await entries()).filter((text) => text.startsWith("weave"));
  assert.deepEqual(apart, ["weave, 5.5309", "weave, 3.1316"]);
  assert.deepEqual(faults, []);
  await context.close();
});

test("one linearisation lists its modes by their eigenvalues", async () => {
  bench.tandem("linearize", "bicycle", "--set", "v=5", "--report", "five.html");
  const { page, context, faults } = await bench.page("five.html");
  const modes = await page.textContent("[aria-label=Mode]");
  assert.match(modes, /-0\.7753 . 4\.465 i/);
  assert.match(modes, /neutral/);
  assert.doesNotMatch(modes, /e-\d/); // zero but for rounding
  assert.deepEqual(faults, []);
  await context.close();
});

test("results and models can be viewed, and the reactions of results are those of the run", async () => {
  bench.tandem("run", "slider-crank", "--duration", "1", "--quiet", "--out", "slider.h5", "--report", "run.html");
  bench.tandem("run", "slider-crank", "--duration", "1", "--quiet", "--out", "slider.csv");
  bench.tandem("view", "slider.h5");
  bench.tandem("view", "slider.csv", "--out", "plain.html");
  bench.tandem("view", "slider.csv", "--model", "slider-crank", "--out", "known.html");
  bench.tandem("view", "slider-crank");
  // Where the state of the run is not that of its bodies, what is found again from these has other last digits.
  const numbers = (file) => {
    const text = /id="tandem-numbers-0">([^<]*)</.exec(readFileSync(bench.file(file), "utf8"))[1];
    const bytes = Buffer.from(text, "base64");
    return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
  };
  const wanted = numbers("run.html");
  for (const file of ["slider.html", "known.html"]) {
    const found = numbers(file);
    assert.equal(found.length, wanted.length);
    const off = found.filter(
      (x, i) => !(Object.is(x, wanted[i]) || Math.abs(x - wanted[i]) <= 1e-6 * Math.max(1, Math.abs(x))),
    );
    assert.deepEqual(off, [], file);
  }
  for (const [file, bodies, rows] of [
    ["slider.html", 3, 201],
    ["plain.html", 3, 201],
    ["slider-crank.html", 3, 1],
  ]) {
    const { page, context, faults } = await bench.page(file);
    assert.ok((await colours(page)) > 40, file);
    const found = await page.evaluate(() => [
      window.tandem.report.model.bodies.length,
      window.tandem.report.motion.rows,
    ]);
    assert.deepEqual(found, [bodies, rows], file);
    assert.equal(await page.isVisible(".timeline"), rows > 1, file);
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test("axe finds no serious fault in reports of other kinds", async () => {
  bench.tandem("compare", "two-body", "--duration", "1", "--methods", "lagrange,impulses", "--report", "c.html");
  bench.tandem("linearize", "bicycle", "--sweep", "v=0:10:11", "--report", "m.html");
  bench.tandem("view", "slider-crank", "--out", "v.html");
  for (const [file, pages] of [
    ["c.html", ["Plots", "Compare", "Parts", "Health"]],
    ["m.html", ["Modes", "Parts", "About"]],
    ["v.html", ["Parts", "About"]],
  ]) {
    const { page, context, faults } = await bench.page(file);
    assert.deepEqual(await page.$$eval("[role=tab]", (all) => all.map((each) => each.textContent)), pages, file);
    assert.deepEqual(await axeFaults(page, pages), [], file);
    assert.deepEqual(faults, []);
    await context.close();
  }
});
