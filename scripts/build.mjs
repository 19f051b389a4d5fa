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
// What is found by its URL stands side by side with the parts, so that the URL is the same from every file.
await build({
  ...common,
  input: {
    index: source("index.ts"),
    formats: source("formats.ts"),
    speech: source("speech.ts"),
    recipes: source("recipes.ts"),
    "worker-process": source("join/worker-process.ts"),
    "worker-thread": source("join/worker-thread.ts"),
    "job-process": source("job/job-process.ts"),
    "cli/millrace": source("cli/millrace.ts"),
  },
  output: {
    dir: dist,
    chunkFileNames: "part-[hash].js",
    // A worker starts as fast as its imports: what each of them needs is one file, however many share parts of it.
    codeSplitting: { groups: [{ name: "core", test: /[/\\]src[/\\](index|join[/\\]serve-launcher)\.ts$/ }] },
  },
});
// A thread that needs no loader of modules starts in four fifths of the time.
await build({
  ...common,
  input: source("worker/heartbeat-thread.ts"),
  output: { file: join(dist, "heartbeat-thread.cjs"), format: "cjs" },
});
await buildDashboard(join(dist, "web"));
await buildGuide(join(dist, "web", "guide"));
runTool(["typescript", "bin", "tsc"], ["-p", "tsconfig.build.json"]);
