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

export function launch() {
  return chromium.launch({
    executablePath,
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
