// A Python with the libraries whose files datasets read and write (pyarrow, datasets, lhotse, webdataset, kaldiio), made once
// per machine: npm run test:datasets. Tests that need it are skipped with the reason where it is not there.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt, ensureInstalled, root, runTool } from "./ensure.mjs";

const requirements = join(dirname(fileURLToPath(import.meta.url)), "python-requirements.txt");

/** The folder of the environment: shared by all clones of a user, another one for other versions of the libraries. */
function folderOfEnv() {
  if (process.env.MILLRACE_PYTHON_ENV) return process.env.MILLRACE_PYTHON_ENV;
  const digest = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(cache, "millrace-development", `python-${digest}`);
}

/** The Python of the environment, or undefined if it was not made. */
export function pythonOfEnv() {
  const folder = folderOfEnv();
  return existsSync(join(folder, "complete")) ? join(folder, "bin", "python") : undefined;
}

/** Why a test that needs the environment is skipped. */
export const noPythonEnv = "there is no Python environment: npm run test:datasets makes it";

/** Makes the environment, which takes a minute and 400 MB; a complete one is kept. */
function ensurePythonEnv() {
  if (pythonOfEnv() !== undefined) return;
  const folder = folderOfEnv();
  console.log(`making a Python environment in ${folder} (once)`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  // Debian's Python, with Debian's NumPy and PyTorch.
  call("/usr/bin/python3", ["-m", "venv", "--system-site-packages", folder]);
  const pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"];
  call(join(folder, "bin", "python"), [...pip, "-r", requirements]);
  call(join(folder, "bin", "python"), ["-c", "import datasets, kaldiio, lhotse.shar, pyarrow, soundfile, webdataset"]);
  writeFileSync(join(folder, "complete"), "");
}

function call(program, args) {
  const { status, error } = spawnSync(program, args, { stdio: ["ignore", "inherit", "inherit"] });
  if (status === 0) return;
  console.error(`${program} ${args.join(" ")} failed${error === undefined ? "" : `: ${error.message}`}.`);
  console.error(
    "The environment needs Debian's python3-venv, python3-numpy and python3-torch, and a registry of PyPI.",
  );
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureInstalled();
  ensurePythonEnv();
  ensureBuilt();
  const chosen = process.argv.slice(2);
  runTool(["vitest", "vitest.mjs"], ["run", ...(chosen.length > 0 ? chosen : ["test/datasets"])], { cwd: root });
}
