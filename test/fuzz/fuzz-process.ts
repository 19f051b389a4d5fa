// A process that runs cases of readers. A case may kill it; the process that started it then knows which.
import { appendFileSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { allReaders } from "./all-readers.ts";
import { CaseRunner, type FoundOutcome } from "./case-runner.ts";
import { type CaseMaker, type MadeCase, openCaseMaker } from "./make-case.ts";
import { cpuMs } from "./measure.ts";
import { encodeTally, type FuzzRequest, findingsName, progressName, type Tally, talliesName } from "./protocol.ts";

// Errors are made by the ten thousand here; long stacks would take most of the time.
Error.stackTraceLimit = 4;

const request = JSON.parse(process.argv[2]!) as FuzzRequest;
const { folder, seed } = request;
const files = join(folder, "files");
mkdirSync(files, { recursive: true });
const progress = openSync(join(folder, progressName), "w");

for (const [i, name] of request.readers.entries()) await fuzzReader(name, i);

async function fuzzReader(name: string, i: number): Promise<void> {
  const startMs = cpuMs();
  const reader = await allReaders[name]!();
  const maker = await openCaseMaker(reader);
  const runner = new CaseRunner(reader, files);
  const from = i === 0 ? request.from : 0;
  const tally = { reader: i, number: from, cases: 0, values: 0, refusals: 0, slowestMs: 0, largestBytes: 0, cpuMs: 0 };
  const before = await warmUp(maker, runner);
  let endMs = Number.POSITIVE_INFINITY;
  for (let number = from; number < request.to && cpuMs() < endMs; number++) {
    // The honest files and the bombs run in any case.
    if (number === maker.fixedCases) endMs = cpuMs() + request.cpuMsEach;
    tally.number = number;
    writeSync(progress, encodeTally(tally), 0, undefined, 0);
    await runCase(name, { maker, runner, tally });
  }
  await compareValues(name, { maker, runner, before });
  tally.cpuMs = cpuMs() - startMs;
  appendFileSync(join(folder, talliesName), `${JSON.stringify(tally)}\n`);
}

/** Loads what the reader loads with its first file; returns what the honest files hold. */
async function warmUp(maker: CaseMaker, runner: CaseRunner): Promise<unknown[]> {
  // The first file that is read on another thread opens one of the engine's own.
  await readFile(new URL(import.meta.url));
  const values = await valuesOf(maker, runner);
  runner.begin();
  return values;
}

async function valuesOf(maker: CaseMaker, runner: CaseRunner): Promise<unknown[]> {
  const values: unknown[] = [];
  for (let number = 0; number < maker.honestCases; number++) {
    values.push(await runner.valueOf(await maker.make(seed, number)));
  }
  return values;
}

interface Comparison {
  readonly maker: CaseMaker;
  readonly runner: CaseRunner;
  readonly before: readonly unknown[];
}

/** What damaged files leave behind, in a decoder for one, must not change what is read of the next one. */
async function compareValues(reader: string, { maker, runner, before }: Comparison): Promise<void> {
  const after = await valuesOf(maker, runner);
  const number = before.findIndex((value, i) => !isDeepStrictEqual(value, after[i]));
  if (number === -1) return;
  const outcome = { kind: "an honest file is read differently", message: "than before the damaged ones" } as const;
  writeFinding(reader, number, await maker.make(seed, number), outcome);
}

interface CaseContext {
  readonly maker: CaseMaker;
  readonly runner: CaseRunner;
  readonly tally: Tally;
}

async function runCase(reader: string, { maker, runner, tally }: CaseContext): Promise<void> {
  const { number } = tally;
  const made = await maker.make(seed, number);
  const { outcome, cpuMs: taken, bytes } = await runner.run(made);
  tally.cases++;
  tally.slowestMs = Math.max(tally.slowestMs, taken);
  tally.largestBytes = Math.max(tally.largestBytes, bytes);
  if (outcome === "value") tally.values++;
  else if (outcome === "refusal") tally.refusals++;
  else writeFinding(reader, number, made, outcome);
}

function writeFinding(reader: string, number: number, { bytes }: MadeCase, outcome: FoundOutcome): void {
  const file = join(folder, `${reader}-${seed}-${number}.bin`);
  writeFileSync(file, bytes);
  appendFileSync(join(folder, findingsName), `${JSON.stringify({ reader, seed, number, ...outcome, file })}\n`);
}
