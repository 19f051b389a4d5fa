import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { whyNotDaemons } from "../clusters/why-not.ts";

const sources = fileURLToPath(new URL("../../fixtures/file-systems/", import.meta.url));
const programs = fileURLToPath(new URL("../../../.cache/", import.meta.url));

/** What an adversary does wrong: the keys of `fixtures/file-systems/adversary-keys.h`, which says what each means. */
export type AdversaryKeys = Readonly<Record<string, string | number>>;

/** One mount of an adversary. */
export interface Adversary {
  /** The folder that it shows. */
  readonly mount: string;
  /** How many calls of each kind it has answered. */
  counts(): Promise<Record<string, number>>;
  /** Changes what it does wrong from now on. */
  set(keys: AdversaryKeys): void;
  unmount(): Promise<void>;
}

/** Why no adversary can be mounted here for two hosts; undefined if it can. */
export function whyNoAdversary(): string | undefined {
  const missing = whyNotDaemons(["gcc", "pkg-config", "hostname", "nsenter"], { needsRoot: true });
  if (missing !== undefined) return missing;
  if (!existsSync("/dev/fuse")) return "there is no /dev/fuse";
  const { status } = spawnSync("pkg-config", ["--atleast-version=3.12", "fuse3"]);
  return status === 0 ? undefined : "not installed: libfuse 3.12 or newer, to compile with";
}

/** Mounts an adversary. It unmounts by itself when this process ends, however that happens. */
export async function mountAdversary(backing: string, mount: string, keys: AdversaryKeys = {}): Promise<Adversary> {
  const child = spawn(programOf(), [backing, mount, ...linesOf(keys)], { stdio: ["pipe", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (text) => (stderr += text));
  const lines = createInterface({ input: child.stdout });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  if ((await nextLine(lines)) !== "mounted") throw new Error(`the adversary was not mounted at ${mount}: ${stderr}`);
  let asking: Promise<unknown> = Promise.resolve();
  return {
    mount,
    counts: () => {
      const answer = asking.then(() => askCounts(child, lines));
      asking = answer;
      return answer;
    },
    set: (changed) => void child.stdin.write(`${linesOf(changed).join("\n")}\n`),
    unmount: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

async function askCounts(child: ChildProcessWithoutNullStreams, lines: Interface): Promise<Record<string, number>> {
  child.stdin.write("counts\n");
  const line = (await nextLine(lines)) ?? "";
  return Object.fromEntries(line.split(" ").map((pair) => [pair.split("=")[0], Number(pair.split("=")[1])]));
}

function nextLine(lines: Interface): Promise<string | undefined> {
  return new Promise((resolve) => {
    lines.once("line", resolve);
    lines.once("close", () => resolve(undefined));
  });
}

function linesOf(keys: AdversaryKeys): string[] {
  return Object.entries(keys).map(([key, value]) => `${key}=${value}`);
}

/** The program, compiled again when its source has changed. */
function programOf(): string {
  const files = readdirSync(sources).sort();
  const digest = createHash("sha256");
  for (const file of files) digest.update(readFileSync(join(sources, file)));
  const program = join(programs, `adversary-${digest.digest("hex").slice(0, 12)}`);
  if (existsSync(program)) return program;
  mkdirSync(programs, { recursive: true });
  const library = spawnSync("pkg-config", ["fuse3", "--cflags", "--libs"], { encoding: "utf8" }).stdout.trim();
  const made = `${program}.${process.pid}`;
  const args = [
    "-O1",
    "-Wall",
    "-Wextra",
    "-Werror",
    join(sources, "adversary.c"),
    "-o",
    made,
    ...library.split(/\s+/),
  ];
  const { status, stderr } = spawnSync("gcc", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`the adversary does not compile:\n${stderr}`);
  // Another test run may be starting it.
  renameSync(made, program);
  return program;
}
