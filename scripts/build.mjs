// npm run build: declarations by tsc, programs by esbuild. A worker starts as fast as its imports: one file instead of a
// hundred takes a third of the time.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { buildDashboard } from "./build-dashboard.mjs";
import { buildGuide } from "./build-guide.mjs";
import { root, runTool } from "./ensure.mjs";

const { build } = await import("esbuild");
const dist = join(root, "dist");
const entry = (source, out) => ({ in: join(root, "src", source), out });

if (process.argv.includes("--clean")) rmSync(dist, { recursive: true, force: true });

const common = {
  outdir: dist,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  packages: "external",
  logLevel: "warning",
};
// What is found by its URL stands side by side with the parts, so that the URL is the same from every file.
await build({
  ...common,
  entryPoints: [
    entry("index.ts", "index"),
    entry("formats.ts", "formats"),
    entry("speech.ts", "speech"),
    entry("recipes.ts", "recipes"),
    entry("join/worker-process.ts", "worker-process"),
    entry("join/worker-thread.ts", "worker-thread"),
    entry("job/job-process.ts", "job-process"),
  ],
  splitting: true,
  chunkNames: "part-[hash]",
});
// A thread that needs no loader of modules starts in four fifths of the time.
await build({
  ...common,
  entryPoints: [entry("worker/heartbeat-thread.ts", "heartbeat-thread")],
  format: "cjs",
  outExtension: { ".js": ".cjs" },
});
// By itself: its many commands would cut the library into as many parts.
await build({
  ...common,
  entryPoints: [entry("cli/millrace.ts", "cli/millrace")],
  splitting: true,
  chunkNames: "cli-part-[hash]",
});
await buildDashboard(join(dist, "web"));
await buildGuide(join(dist, "web", "guide"));
runTool(["typescript", "bin", "tsc"], ["-p", "tsconfig.build.json"]);
