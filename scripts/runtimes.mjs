// Runs the same jobs on every supported runtime: `npm run test:runtimes [-- NAME…]`. The runtimes are packages of the npm registry, kept in
// MILLRACE_RUNTIMES (default: ~/.cache/millrace-runtimes). `--write` puts the table into docs/runtimes.md.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = process.env.MILLRACE_RUNTIMES ?? join(homedir(), ".cache", "millrace-runtimes");
const platform = `${process.platform}-${process.arch}`;
const bunPlatform = platform.replace("arm64", "aarch64");
const denoPlatform = process.platform === "linux" ? `${platform}-glibc` : platform;

// What the package `node` downloads while it is installed is the first of these packages.
const runtimes = [
  ["node 20.19", `node-${platform}@20.19`, "bin/node"],
  ["node 22", `node-${platform}@22`, "bin/node"],
  ["node 24", `node-${platform}@24`, "bin/node"],
  ["node 26", `node-${platform}@26`, "bin/node"],
  ["bun", `@oven/bun-${bunPlatform}`, "bin/bun"],
  ["deno", `@deno/${denoPlatform}`, "deno"],
].map(([name, spec, program]) => ({ name, spec, folder: name.replace(" ", "-"), program }));

const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const chosen = runtimes.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)));

/** Installs what is missing. */
function fetchRuntimes() {
  const missing = chosen.filter(({ folder, program }) => !existsSync(join(cache, "node_modules", folder, program)));
  if (missing.length === 0) return;
  mkdirSync(cache, { recursive: true });
  if (!existsSync(join(cache, "package.json"))) writeFileSync(join(cache, "package.json"), '{ "private": true }\n');
  const specs = missing.map(({ folder, spec }) => `${folder}@npm:${spec}`);
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact", "--force"];
  const { status } = spawnSync("npm", ["install", ...flags, ...specs], {
    cwd: cache,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error(`npm could not install ${specs.join(" ")}`);
}

function commandOf({ name, folder, program }) {
  const path = join(cache, "node_modules", folder, program);
  return name === "deno" ? [path, "run", "--allow-all"] : [path];
}

/** Runs a command to its end; an exit code that is not expected is an error with what it printed. */
function run(command, words, cwd, expected = 0) {
  const [program, ...args] = [...command, ...words];
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: "utf8", timeout: 120_000 });
  if (status !== expected)
    throw new Error(`${words.join(" ")} ended with ${error?.message ?? status}\n${(stderr + stdout).slice(-1500)}`);
  return stdout + stderr;
}

function project() {
  const folder = mkdtempSync(join(tmpdir(), "millrace-runtime-"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "dependencies": { "millrace": "*" } }\n');
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules", "millrace"));
  cpSync(join(root, "test", "runtimes"), folder, { recursive: true });
  return folder;
}

const cli = join(root, "dist", "cli", "millrace.js");
const records = (folder, name = "exp") => readFileSync(join(folder, name, "records.jsonl"), "utf8");

const checks = {
  hello: (command, folder) => run(command, ["squares.mjs", "local", "1"], folder),
  process: (command, folder) => run(command, ["squares.mjs", "process", "2"], folder),
  thread: (command, folder) => run(command, ["squares.mjs", "thread", "2"], folder),
  TypeScript: (command, folder) => run([...command, cli], ["run", "cubes.yaml"], folder),
  "command line": (command, folder) => {
    run([...command, cli], ["run", "squares.yaml"], folder);
    run([...command, cli], ["status", "exp"], folder);
    run([...command, cli], ["verify", "exp"], folder);
    run([...command, cli], ["doctor", "squares.yaml"], folder);
  },
  "x-vectors": (command, folder) =>
    run(command, [join(root, "examples", "xvector", "main.mjs"), join(folder, "xv")], folder),
  "kill and resume": async (command, folder) => {
    await killHalfway(command, folder);
    run(command, ["slow.mjs"], folder);
  },
  "continued by another": async (command, folder, other) => {
    await killHalfway(command, folder);
    run(other, ["slow.mjs"], folder);
  },
};

async function killHalfway(command, folder) {
  const [program, ...args] = [...command, "slow.mjs"];
  const child = spawn(program, args, { cwd: folder, stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  for (let i = 0; i < 600 && !existsSync(join(folder, "exp", "split.3")); i++)
    await new Promise((go) => setTimeout(go, 50));
  child.kill("SIGKILL");
  await ended;
  if (existsSync(join(folder, "exp", "records.jsonl"))) throw new Error("it ended before it was killed");
}

async function check(name, runtime, other, expected) {
  const folder = project();
  try {
    await checks[name](commandOf(runtime), folder, other);
    if (["kill and resume", "continued by another"].includes(name) && records(folder) !== expected)
      throw new Error("the records differ from those of an undisturbed run");
    return "yes";
  } catch (error) {
    console.error(`${runtime.name}, ${name}: ${error.message}`);
    return "no";
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

fetchRuntimes();
const undisturbed = project();
run([process.execPath], ["slow.mjs"], undisturbed);
const expected = records(undisturbed);
rmSync(undisturbed, { recursive: true, force: true });
const names = Object.keys(checks);
const rows = [];
for (const [i, runtime] of chosen.entries()) {
  const version = run(commandOf(runtime).slice(0, 1), ["--version"], root)
    .split("\n", 1)[0]
    .replace(/^(?:v|deno )|\s.*$/g, "");
  const other = commandOf(chosen[(i + 1) % chosen.length]);
  const results = [];
  for (const name of names) results.push(await check(name, runtime, other, expected));
  rows.push([
    runtime.name
      .replace(/ .*/, "")
      .replace(/^./, (letter) => letter.toUpperCase())
      .replace("Node", "Node.js"),
    version,
    ...results,
  ]);
  console.log(rows.at(-1).join(" | "));
}
const line = (cells) => `| ${cells.join(" | ")} |`;
const table = [
  line(["runtime", "version", ...names]),
  line(["---", "---", ...names.map(() => "---")]),
  ...rows.map(line),
].join("\n");
if (process.argv.includes("--write")) {
  const page = join(root, "docs", "runtimes.md");
  const text = readFileSync(page, "utf8");
  writeFileSync(
    page,
    text.replace(
      /<!-- runtimes -->[\s\S]*?<!-- \/runtimes -->/,
      () => `<!-- runtimes -->\n\n${table}\n\n<!-- /runtimes -->`,
    ),
  );
}
const failed = rows.flat().filter((cell) => cell === "no").length;
console.log(`${rows.length * names.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
