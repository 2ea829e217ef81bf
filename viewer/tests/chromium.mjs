// Debian's Chromium without a window, drawing 3D in software.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const places = [
  process.env.TANDEM_CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
export const executablePath = places.find((path) => path && existsSync(path));

// A machine with its hands full may fail to start it at the first try.
export async function launch(tries = 3) {
  try {
    return await start();
  } catch (error) {
    if (tries <= 1) throw error;
    return launch(tries - 1);
  }
}

function start() {
  return chromium.launch({
    executablePath,
    timeout: 180_000,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ],
  });
}
