// npm run build: declarations by tsc, programs by rolldown, pages by esbuild.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { buildDashboard } from "./build-dashboard.mjs";
import { buildGuide } from "./build-guide.mjs";
import { root, runTool } from "./ensure.mjs";

const { build } = await import("rolldown");
const dist = join(root, "dist");
const source = (name) => join(root, "src", name);

if (process.argv.includes("--clean")) rmSync(dist, { recursive: true, force: true });

const common = { platform: "node", external: /^[^./]/, transform: { target: "node20.19" } };
// Files that are found by URL are beside the chunks, so that the URL is the same from every file.
await build({
  ...common,
  input: {
    index: source("index.ts"),
    formats: source("formats.ts"),
    speech: source("speech.ts"),
    recipes: source("recipes.ts"),
    datasets: source("datasets.ts"),
    "worker-process": source("worker/main/worker-process.ts"),
    "worker-thread": source("worker/main/worker-thread.ts"),
    "job-process": source("node-job/job-process.ts"),
    "cli/millrace": source("cli/millrace.ts"),
  },
  output: {
    dir: dist,
    chunkFileNames: "part-[hash].js",
    // A worker starts as fast as its imports: everything it needs is in one file, even if several share parts of it.
    codeSplitting: { groups: [{ name: "core", test: /[/\\]src[/\\](index|join[/\\]serve-launcher)\.ts$/ }] },
  },
});
// A thread that needs no module loader starts in 80 % of the time.
for (const [input, file] of [
  ["worker/heartbeat/heartbeat-thread.ts", "heartbeat-thread.cjs"],
  ["datasets/lines/scan-thread.ts", "dataset-scan-thread.cjs"],
]) {
  await build({ ...common, input: source(input), output: { file: join(dist, file), format: "cjs" } });
}
await buildDashboard(join(dist, "web"));
await buildGuide(join(dist, "web", "guide"));
runTool(["typescript", "bin", "tsc"], ["-p", "tsconfig.build.json"]);
