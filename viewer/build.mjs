// Builds the page: one HTML file with its script and style inside, allowed by their hashes and by nothing else.
//
//   node build.mjs --html=page.html [--cpp=page.cpp]
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const here = dirname(fileURLToPath(import.meta.url));
const option = (name) => process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);

async function bundle() {
  const result = await build({
    root: here,
    configFile: false,
    logLevel: "warn",
    esbuild: { charset: "ascii", legalComments: "none" },
    build: {
      write: false,
      target: "es2020",
      cssTarget: "chrome90",
      modulePreload: false,
      lib: { entry: join(here, "src/main.ts"), formats: ["iife"], name: "tandem", fileName: "page" },
    },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((each) => each.output);
  const script = outputs.find((each) => each.type === "chunk").code;
  const style = outputs
    .filter((each) => each.type === "asset" && each.fileName.endsWith(".css"))
    .map((each) => each.source)
    .join("\n");
  const ascii = String(style).replace(/[^\0-\x7f]/gu, (letter) => `\\${letter.codePointAt(0).toString(16)} `);
  return { script: script.replaceAll("</script", "<\\/script").trim(), style: ascii.trim() };
}

// The libraries inside the page ask that their licences go with them.
const licences = () =>
  ["three/LICENSE", "uplot/LICENSE", "lil-gui/LICENSE.md"]
    .map((file) => `${dirname(file)}\n\n${readFileSync(join(here, "node_modules", file), "utf8").trim()}`)
    .join("\n\n")
    .replace(/[^\0-\x7f]/gu, "(c)")
    .replaceAll("--", "- -");

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function compose({ script, style }) {
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "img-src data: blob:",
    "font-src data:",
    "media-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const template = readFileSync(join(here, "index.html"), "utf8");
  const html = template
    .replace("<!--policy-->", () => policy)
    .replace("<!--licences-->", () => `<!-- This page contains:\n\n${licences()}\n-->`)
    .replace(/<style>\s*\/\*style\*\/\s*<\/style>/, () => `<style>${style}</style>`)
    .replace(/<script>\s*\/\*script\*\/\s*<\/script>/, () => `<script>${script}</script>`);
  // C++ sees bytes: nothing but ASCII leaves no doubt about them.
  const foreign = [...html].find((letter) => letter.codePointAt(0) > 127);
  if (foreign) throw new Error(`the page holds ${foreign}, which is not ASCII`);
  return html;
}

function toCpp(html) {
  const pieces = [];
  for (let at = 0; at < html.length; at += 15000)
    pieces.push(`R"tandem_page(${html.slice(at, at + 15000)})tandem_page"`);
  return `// Generated from viewer/. Do not edit.
#include "tandem/io/report/report.hpp"

namespace tandem {

static constexpr char page[] =
${pieces.join("\n")};

std::string_view report_page() { return {page, sizeof page - 1}; }
std::string_view report_page_missing() { return {}; }

}  // namespace tandem
`;
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const html = compose(await bundle());
if (option("html")) write(option("html"), html);
if (option("cpp")) write(option("cpp"), toCpp(html));
