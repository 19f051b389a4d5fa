// What every command needs before it can begin: dependencies and the build. Each is done once and not repeated until
// something it depends on has changed. Plain Node, because nothing else is there on a fresh machine.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Runs a program in the project's folder and shows its output; a failure ends this process with its exit code. */
export function run(program, args, options = {}) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: "inherit", ...options });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs a program that a development dependency brings. */
export function runTool(name, args, options) {
  run(process.execPath, [join(root, "node_modules", ...name), ...args], options);
}

export function ensureInstalled() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`millrace needs Node 20.19 or newer; this is ${process.version}.`);
    process.exit(1);
  }
  once(join(root, "node_modules", ".millrace-installed"), [join(root, "package.json")], () => {
    console.log("installing dependencies (once)");
    run("npm", ["install", "--loglevel=error"], { stdio: ["ignore", "ignore", "inherit"] });
  });
}

export function ensureBuilt() {
  once(
    join(root, "dist", ".built"),
    [
      ...filesBelow(join(root, "src")),
      ...filesBelow(join(root, "web")),
      join(root, "tsconfig.json"),
      join(root, "tsconfig.build.json"),
      join(root, "scripts", "build.mjs"),
      join(root, "scripts", "build-dashboard.mjs"),
      join(root, "scripts", "build-guide.mjs"),
    ],
    () => {
      console.log("building (once)");
      run(process.execPath, [join(root, "scripts", "build.mjs"), "--clean"]);
    },
  );
}

/**
 * The API reference as Markdown; answers its folder and what was found missing in the sources. It is made anew when a source
 * has changed.
 */
export async function ensureReference() {
  const folder = join(root, ".cache", "reference");
  const notes = join(root, ".cache", "reference-warnings.json");
  const own = join(root, "scripts", "docs", "make-reference.mjs");
  await once(join(root, ".cache", "reference.made"), [...filesBelow(join(root, "src")), own], async () => {
    const { makeReference } = await import("./docs/make-reference.mjs");
    const { warnings } = await makeReference(folder);
    writeFileSync(notes, JSON.stringify(warnings));
  });
  return { folder, warnings: JSON.parse(readFileSync(notes, "utf8")) };
}

function once(stamp, inputs, act) {
  const hash = createHash("sha256");
  for (const path of inputs) hash.update(path.slice(root.length)).update(readFileSync(path));
  const digest = hash.digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return;
  const note = () => {
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, digest);
  };
  return act()?.then(note) ?? note();
}

function filesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}
