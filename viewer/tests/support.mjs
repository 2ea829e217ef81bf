// What the browser tests share: reports made by the program, pages that note every complaint.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "./chromium.mjs";

const program = process.env.TANDEM_PROGRAM;
if (!program) throw new Error("TANDEM_PROGRAM does not name the program");

export class Bench {
  folder = mkdtempSync(join(tmpdir(), "tandem-browser-"));

  async open() {
    this.browser = await launch();
  }
  async close() {
    await this.browser?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
  file(name, text) {
    const path = join(this.folder, name);
    if (text !== undefined) writeFileSync(path, text);
    return path;
  }
  tandem(...words) {
    return execFileSync(program, words, { cwd: this.folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }
  // A page in a context of its own without a network. `faults` gathers errors, broken policies and requests.
  async page(report, { width = 900, height = 620, ...more } = {}) {
    const context = await this.browser.newContext({ viewport: { width, height }, offline: true, ...more });
    context.setDefaultTimeout(240_000); // a busy machine draws slowly in software
    const page = await context.newPage();
    const faults = [];
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => faults.push(`error: ${error}`));
    page.on("request", (request) => {
      if (!/^(file|data|blob):/.test(request.url())) faults.push(`request: ${request.url()}`);
    });
    await page.addInitScript(() => {
      window.brokenPolicies = [];
      document.addEventListener("securitypolicyviolation", (event) =>
        window.brokenPolicies.push(`${event.violatedDirective} ${event.blockedURI}`),
      );
    });
    await page.goto(`file://${this.file(report)}`);
    await page.waitForFunction(() => window.tandem !== undefined);
    await drawn(page);
    return { page, context, faults };
  }
}

// All that was asked for is on the canvas.
export async function drawn(page) {
  await page.waitForFunction(() => {
    const { view } = window.tandem;
    return view.canvas.width !== 300 && !view.stage.dirty;
  });
}

export async function policies(page) {
  return page.evaluate(() => window.brokenPolicies);
}

// Serious faults that axe finds, on these pages of a report, light and dark.
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export async function axeFaults(page, pages) {
  const told = [];
  for (const theme of ["light", "dark"])
    for (const name of pages) {
      await page.evaluate(([a, b]) => (window.tandem.setTheme(a), window.tandem.show(b)), [theme, name]);
      await page.evaluate(axe); // not a script of the page: its policy does not hold for the tester
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      for (const { id, impact, nodes } of violations)
        if (impact === "serious" || impact === "critical")
          told.push(`${theme}, ${name}, ${id}: ${nodes.map(({ html }) => html).slice(0, 3)}`);
    }
  await page.evaluate(() => window.tandem.setTheme("light"));
  return told;
}

// How many different colours a coarse look at the picture finds.
export function colours(page) {
  return page.evaluate(() => {
    const { view } = window.tandem;
    view.stage.draw();
    const small = document.createElement("canvas");
    small.width = small.height = 64;
    const context = small.getContext("2d");
    context.drawImage(view.canvas, 0, 0, 64, 64);
    const { data } = context.getImageData(0, 0, 64, 64);
    const found = new Set();
    for (let i = 0; i < data.length; i += 4) found.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    return found.size;
  });
}
