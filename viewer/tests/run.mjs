// Runs the browser tests: node run.mjs PROGRAM. Exit code 77 tells that they were skipped.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { executablePath } from "./chromium.mjs";

if (!executablePath) {
  console.log("skipped: there is no Chromium. Install it: apt-get install chromium");
  process.exit(77);
}
const here = dirname(fileURLToPath(import.meta.url));
// One file after the other: they share a machine that may be small.
let failed = false;
for (const name of readdirSync(here).filter((file) => file.endsWith(".test.mjs"))) {
  const run = spawnSync(process.execPath, ["--test", join(here, name)], {
    stdio: "inherit",
    env: { ...process.env, TANDEM_PROGRAM: process.argv[2] },
  });
  failed ||= run.status !== 0;
}
process.exit(failed ? 1 : 0);
