import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { allReaders } from "./all-readers.ts";
import { openCaseMaker } from "./make-case.ts";
import {
  decodeTally,
  type Finding,
  type FuzzRequest,
  findingsName,
  progressName,
  type Tally,
  talliesName,
} from "./protocol.ts";

export interface FuzzOptions {
  readonly readers: readonly string[];
  readonly seed: number;
  /** How many cases each reader runs at most. */
  readonly cases: number;
  /** The first case. Default: 0. */
  readonly from?: number;
  /** How much CPU time each reader takes at most; its honest files and bombs run in any case. Default: no limit. */
  readonly cpuMsEach?: number;
}

export interface FuzzReport {
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly findings: readonly Finding[];
}

// Heap of a fuzz process. A reader that needs more for the small files here has no bounds.
const heapMegabytes = 1024;
// By the clock, for a case that never ends. A busy machine gives a process a tenth of it.
const endlessMs = 120_000;
const maxDeaths = 10;

/** Runs cases of readers in a child process, which is started again after a case that ends it. */
export async function fuzzReaders(options: FuzzOptions): Promise<FuzzReport> {
  const tallies = new Map<string, Tally>();
  const findings: Finding[] = [];
  let [readers, from, deaths] = [options.readers, options.from ?? 0, 0];
  while (readers.length > 0) {
    const folder = mkdtempSync(join(tmpdir(), "millrace-fuzz-"));
    const { seed, cases, cpuMsEach = Number.MAX_SAFE_INTEGER } = options;
    const death = await runProcess({ readers, seed, from, to: (options.from ?? 0) + cases, cpuMsEach, folder });
    findings.push(...readLines<Finding>(join(folder, findingsName)));
    for (const tally of readLines<Tally>(join(folder, talliesName))) addTally(tallies, readers[tally.reader]!, tally);
    if (death === undefined) {
      if (!existsSync(join(folder, findingsName))) rmSync(folder, { recursive: true, force: true });
      break;
    }
    const tally = decodeTally(readFileSync(join(folder, progressName)));
    const reader = readers[tally.reader]!;
    addTally(tallies, reader, { ...tally, cases: tally.cases + 1 });
    findings.push(await describeDeath({ reader, seed, number: tally.number, folder, ...death }));
    deaths++;
    readers = readers.slice(deaths % maxDeaths === 0 ? tally.reader + 1 : tally.reader);
    from = deaths % maxDeaths === 0 ? 0 : tally.number + 1;
  }
  return { tallies, findings };
}

interface Death {
  readonly kind: "the process died" | "no end";
  readonly message: string;
}

/** Runs a process to its end; returns how it died, if it did. */
function runProcess(request: FuzzRequest): Promise<Death | undefined> {
  const script = fileURLToPath(new URL("fuzz-process.ts", import.meta.url));
  const flags = ["--import", "tsx", "--expose-gc", `--max-old-space-size=${heapMegabytes}`, "--no-warnings"];
  const child = spawn(process.execPath, [...flags, script, JSON.stringify(request)], {
    stdio: ["ignore", "inherit", "pipe"],
  });
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(-4000);
  });
  const watch = watchProgress(join(request.folder, progressName), () => child.kill("SIGKILL"));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      const { isEndless } = watch.end();
      if (isEndless) resolve({ kind: "no end", message: `killed after ${endlessMs / 1000} s without a next case` });
      else if (code === 0) resolve(undefined);
      else if (!existsSync(join(request.folder, progressName))) reject(new Error(`the fuzz process: ${complaint}`));
      else
        resolve({ kind: "the process died", message: `${signal ?? `exit code ${code}`}: ${complaint.slice(0, 1500)}` });
    });
  });
}

/** Calls when no case was begun for long. */
function watchProgress(path: string, onEndless: () => void): { end(): { readonly isEndless: boolean } } {
  let [seen, since, isEndless] = ["", Date.now(), false];
  const timer = setInterval(() => {
    const now = existsSync(path) ? readFileSync(path, "latin1") : "";
    if (now !== seen) [seen, since] = [now, Date.now()];
    if (Date.now() - since < endlessMs) return;
    isEndless = true;
    onEndless();
  }, 1000);
  return {
    end: () => {
      clearInterval(timer);
      return { isEndless };
    },
  };
}

async function describeDeath(death: Death & Omit<Finding, "file"> & { readonly folder: string }): Promise<Finding> {
  const { folder, ...rest } = death;
  const file = join(folder, `${death.reader}-${death.seed}-${death.number}.bin`);
  const maker = await openCaseMaker(await allReaders[death.reader]!());
  writeFileSync(file, (await maker.make(death.seed, death.number)).bytes);
  return { ...rest, file };
}

function addTally(tallies: Map<string, Tally>, reader: string, more: Tally): void {
  const before = tallies.get(reader);
  if (before === undefined) {
    tallies.set(reader, more);
    return;
  }
  const { cases, values, refusals } = before;
  tallies.set(reader, {
    ...more,
    cases: cases + more.cases,
    values: values + more.values,
    refusals: refusals + more.refusals,
    slowestMs: Math.max(before.slowestMs, more.slowestMs),
    largestBytes: Math.max(before.largestBytes, more.largestBytes),
    cpuMs: before.cpuMs + more.cpuMs,
  });
}

function readLines<T>(path: string): T[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as T);
}
