// Runs the browser tests: node run.mjs PROGRAM. Exit code 77 tells that they were skipped.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { executablePath } from "./chromium.mjs";

if (!executablePath) {
  console.log("skipped: there is no Chromium. Install it: apt-get install chromium");
  process.exit(77);
}
const here = dirname(fileURLToPath(import.meta.url));
const tests = ["report", "pages", "speed"].map((name) => join(here, `${name}.test.mjs`));
const run = spawnSync(process.execPath, ["--test", "--test-concurrency=1", ...tests], {
  stdio: "inherit",
  env: { ...process.env, TANDEM_PROGRAM: process.argv[2] },
});
process.exit(run.status ?? 1);
