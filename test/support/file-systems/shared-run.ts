import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestHost } from "./two-hosts.ts";

const program = fileURLToPath(new URL("../../fixtures/children/shared-run.mjs", import.meta.url));

/** What is run; further options of a run may be added. */
export interface SharedRun {
  readonly env: "local" | "process" | "thread";
  /** On each host. */
  readonly workers: number;
  readonly shards: number;
  readonly items: number;
  readonly itemMs: number;
  readonly leaseTtl?: number;
  readonly [option: string]: unknown;
}

/** How a driver ended. */
interface DriverEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it printed on stderr. */
  readonly stderr: string;
}

export interface StartedDriver {
  readonly child: ChildProcess;
  readonly ended: Promise<DriverEnd>;
}

/** Starts a driver of the run in a folder: on a host, or here. */
export function startDriverOn(host: TestHost | undefined, folder: string, run: SharedRun): StartedDriver {
  const [command = "", ...args] = [...(host?.command ?? []), process.execPath, program, folder, JSON.stringify(run)];
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr!.on("data", (text) => (stderr += text));
  const ended = new Promise<DriverEnd>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, stderr }));
  });
  return { child, ended };
}

export interface SharedRunEnd {
  readonly ends: readonly DriverEnd[];
  readonly tookMs: number;
}

/** Drives one run from each host at the same time, until all drivers have ended. */
export async function driveTogether(hosts: readonly TestHost[], name: string, run: SharedRun): Promise<SharedRunEnd> {
  const beganMs = performance.now();
  const ends = await Promise.all(hosts.map((host) => startDriverOn(host, join(host.folder, name), run).ended));
  return { ends, tookMs: performance.now() - beganMs };
}

/** Everything that a reader of a run's outputs sees; where shards begin and who made them does not matter. */
export function readOutputs(folder: string): {
  readonly merged: string;
  readonly shards: string;
  readonly left: string[];
} {
  const ids = readdirSync(folder).flatMap((name) => /^split\.(\d+)$/.exec(name)?.[1] ?? []);
  const sorted = ids.map(Number).sort((a, b) => a - b);
  return {
    merged: textOf(join(folder, "records.jsonl")),
    shards: sorted.map((id) => textOf(join(folder, `split.${id}`, "records.jsonl"))).join(""),
    left: ["leases", "attempts", "workers"].flatMap((part) => readdirSync(join(folder, ".millrace", part))),
  };
}

// A shard whose items were all dropped has no records; a run without `mergeFiles` has no merged ones.
function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** The outputs of the same run in one process on a local file system. */
export async function readUndisturbed(folder: string, run: SharedRun): Promise<ReturnType<typeof readOutputs>> {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
  const { ended } = startDriverOn(undefined, folder, { ...run, env: "local", workers: 1, itemMs: 0 });
  const { code, stderr } = await ended;
  if (code !== 0) throw new Error(`the undisturbed run ended with ${code}: ${stderr}`);
  return readOutputs(folder);
}
