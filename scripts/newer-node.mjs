// Node.js with zstd, for the tests that the oldest supported Node.js cannot run: npm run test:zstd installs it once per machine.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled, root, run, runTool } from "./ensure.mjs";

const version = "24.21.0";
// Packages of npm that hold the program of one platform, without install scripts.
const platform = process.platform === "win32" ? "win" : process.platform;
const name = `node-${platform}-${process.arch}`;

function folderOfNode() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(cache, "millrace-development", `node-${version}`);
}

/** The program, or undefined if it was not installed. MILLRACE_NEWER_NODE names another one. */
export function newerNode() {
  if (process.env.MILLRACE_NEWER_NODE) return process.env.MILLRACE_NEWER_NODE;
  const program = process.platform === "win32" ? "node.exe" : "node";
  return existsSync(join(folderOfNode(), "complete"))
    ? join(folderOfNode(), "node_modules", name, "bin", program)
    : undefined;
}

/** Why a test that needs it is skipped. */
export const noNewerNode = "this Node.js has no zstd, and there is no newer one: npm run test:zstd installs it";

function ensureNewerNode() {
  if (newerNode() !== undefined) return;
  const folder = folderOfNode();
  console.log(`installing Node.js ${version} in ${folder} (once)`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  run("npm", ["install", ...options, `${name}@${version}`], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  writeFileSync(join(folder, "complete"), "");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureInstalled();
  ensureNewerNode();
  process.env.MILLRACE_FUZZ_CASES ??= "20000";
  runTool(["vitest", "vitest.mjs"], ["run", "test/integration/newer-node.test.ts"], { cwd: root });
}
