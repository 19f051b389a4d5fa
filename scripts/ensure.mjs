// What every command needs first: dependencies and the build. Each is done once and repeated only when its inputs have
// changed. Plain Node.js, because a fresh machine has nothing else.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Runs a program in the project folder and shows its output; a failure ends this process with its exit code. */
export function run(program, args, options = {}) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: "inherit", ...options });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs a program of a development dependency. */
export function runTool(name, args, options) {
  run(process.execPath, [join(root, "node_modules", ...name), ...args], options);
}

export function ensureInstalled() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`millrace needs Node 20.19 or newer; this is ${process.version}.`);
    process.exit(1);
  }
  const inputs = [join(root, "package.json"), join(root, "package-lock.json")];
  once(join(root, "node_modules", ".millrace-installed"), inputs, () => {
    if (isLockInstalled(root)) return;
    console.log("installing dependencies (once)");
    // No installed package needs an install script; npm before 11 does not know `allowScripts`.
    const args = ["ci", "--ignore-scripts", "--prefer-offline", "--loglevel=error"];
    run("npm", args, { stdio: ["ignore", "ignore", "inherit"] });
  });
}

/** True if `node_modules` matches the lock file by npm's own list, for example after a manual `npm ci`. */
export function isLockInstalled(folder) {
  const listed = packagesOf(join(folder, "package-lock.json"));
  const installed = packagesOf(join(folder, "node_modules", ".package-lock.json"));
  if (listed === undefined || installed === undefined) return false;
  // npm skips packages for other platforms.
  const isThere = ([path, { integrity, optional }]) =>
    installed[path] === undefined ? optional === true : installed[path].integrity === integrity;
  const isForHere = ([path, { os }]) => listed[path] !== undefined && (os?.includes(process.platform) ?? true);
  return Object.entries(listed).every(isThere) && Object.entries(installed).every(isForHere);
}

function packagesOf(lockFile) {
  if (!existsSync(lockFile)) return undefined;
  const { "": _project, ...packages } = JSON.parse(readFileSync(lockFile, "utf8")).packages;
  return packages;
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

/** The API reference as Markdown, rebuilt when a source has changed. Returns its folder and the warnings. */
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
    // A new file: the old one may be a hard link to that of another clone.
    rmSync(stamp, { force: true });
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
