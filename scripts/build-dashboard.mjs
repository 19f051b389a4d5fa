// Builds the pages of the dashboard and of the report: one script and one style sheet, compressed ahead of time.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { root } from "./ensure.mjs";

/** Builds web/dashboard into a folder. */
export async function buildDashboard(folder) {
  const { build } = await import("esbuild");
  const source = join(root, "web", "dashboard");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [
      { in: join(source, "main.tsx"), out: "app" },
      { in: join(source, "styles", "app.css"), out: "app" },
    ],
    outdir: folder,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: ["chrome123", "firefox121", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    // A report contains the script in its page.
    charset: "ascii",
    legalComments: "none",
    logLevel: "warning",
  });
  for (const [name, end] of [
    ["app.js", /<\/script|<!--/i],
    ["app.css", /<\/style/i],
  ])
    if (end.test(readFileSync(join(folder, name), "utf8")))
      throw new Error(`${name} cannot be embedded in a page: ${end}`);
  copyFileSync(join(source, "index.html"), join(folder, "index.html"));
  for (const name of readdirSync(folder)) pack(join(folder, name));
}

function pack(path) {
  const bytes = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
