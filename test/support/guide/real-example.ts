import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { exampleFiles, home, wavPath, wavText } from "../../../web/guide/story/example-files.ts";
import type { Settings } from "../../../web/guide/story/settings.ts";
import { removeFolder } from "../remove-folder.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const example = join(root, "web", "guide", "example");
const fakes = fileURLToPath(new URL("../../fixtures/fakes/on-path/", import.meta.url));

/** The files of a run folder, by their names below it; of a folder the name ends with a slash and there is no text. */
export type RunFiles = ReadonlyMap<string, string>;

export interface RealRun {
  /** The example's folder, as `home` is its folder on the guide's machine. */
  readonly folder: string;
  /** What the first start left behind. */
  readonly first: RunFiles;
  /** What was left when a start had ended well. */
  readonly last: RunFiles;
  readonly starts: number;
}

export interface Circumstances {
  /** Of the test's own context, since tests run side by side. */
  onTestFinished(act: () => void): void;
  /** What a process needs to use the cluster that is there; default: fakes of the programs of one. */
  readonly cluster?: NodeJS.ProcessEnv | undefined;
}

/**
 * Runs the guide's example with the library as it is built, as its reader would: starts it, corrects the damaged file, and
 * starts it again until it ends well.
 */
export async function runRealExample(settings: Settings, { onTestFinished, cluster }: Circumstances): Promise<RealRun> {
  const folder = prepare(settings);
  // A program that a test has ended may still be writing its last words.
  onTestFinished(() => removeFolder(folder));
  let first: RunFiles | undefined;
  for (let starts = 1; ; starts++) {
    const { status, stderr } = await start(folder, cluster ?? fakeCluster(folder, settings));
    const files = readFiles(join(folder, "exp", "embed"));
    first ??= files;
    if (status === 0) return { folder, first, last: files, starts };
    if (starts === 4) throw new Error(`the example fails for ever: ${stderr}`);
    if (settings.badItem >= 0) writeFileSync(inFolder(folder, wavPath(settings.badItem)), wavText(false));
  }
}

function prepare(settings: Settings): string {
  // Below the project, so that `millrace` is found as a user's program finds it.
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache", "guide-"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  for (const name of ["main", "embed", "model"]) {
    const { code } = transformSync(readFileSync(join(example, `${name}.ts`), "utf8"), { loader: "ts" });
    const withDist = code.replace('"millrace"', JSON.stringify(join(root, "dist", "index.js")));
    const withFault = name === "model" ? `import "./fault.js";\n${withDist}` : withDist;
    writeFileSync(join(folder, `${name}.js`), withFault.replace(/"(\.\/\w+)\.ts"/g, '"$1.js"'));
  }
  writeFileSync(join(folder, "fault.js"), faultOf(settings));
  for (const [path, text] of exampleFiles(settings)) {
    mkdirSync(dirname(inFolder(folder, path)), { recursive: true });
    writeFileSync(inFolder(folder, path), text);
  }
  mkdirSync(join(folder, "cluster"));
  return folder;
}

/** The same fault at the same moment: at the second call of the model, once. */
function faultOf({ env, killWorker, killDriver }: Settings): string {
  if (killWorker !== "forward" && killDriver !== "forward") return "";
  const driver = env === "process" || env === "local_gpu" ? "process.ppid" : "process.pid";
  const end =
    killDriver === "forward"
      ? `process.kill(${driver}, "SIGKILL")`
      : env === "thread"
        ? "process.exit(1)"
        : 'process.kill(process.pid, "SIGKILL")';
  return `
import { existsSync, writeFileSync } from "node:fs";
let calls = 0;
globalThis.guide = {
  tell({ is }) {
    if (is !== "called" || ++calls !== 2 || existsSync("once")) return;
    writeFileSync("once", "");
    ${end};
  },
};
`;
}

function fakeCluster(folder: string, { env }: Settings): NodeJS.ProcessEnv {
  // A device mask in the environment of the tests would hide the fake devices.
  const { CUDA_VISIBLE_DEVICES: _mask, PATH, ...rest } = process.env;
  return { ...rest, PATH: [join(fakes, env), PATH].join(delimiter), FAKE_CLUSTER: join(folder, "cluster") };
}

function start(folder: string, env: NodeJS.ProcessEnv): Promise<{ status: number; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ["main.js"], { cwd: folder, env }, (error, _stdout, stderr) =>
      resolve({ status: error === null ? 0 : 1, stderr }),
    );
  });
}

function inFolder(folder: string, path: string): string {
  return join(folder, path.slice(home.length));
}

function readFiles(dir: string): RunFiles {
  const files = new Map<string, string>();
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(dir.length + 1);
    if (entry.isDirectory()) files.set(`${name}/`, "");
    else files.set(name, readFileSync(path, "utf8"));
  }
  return files;
}
