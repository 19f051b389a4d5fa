// npm run fuzz -- [READER…] [CASES] [--seed=N] [--case=N]: the long form of test/fuzz/fuzz.test.ts.
import { allReaders } from "./all-readers.ts";
import { fuzzReaders } from "./fuzz-readers.ts";
import type { Finding, Tally } from "./protocol.ts";

const words = process.argv.slice(2);
const option = (name: string): number | undefined => {
  const word = words.find((candidate) => candidate.startsWith(`--${name}=`));
  return word === undefined ? undefined : Number(word.slice(name.length + 3));
};
const chosen = words.filter((word) => Object.hasOwn(allReaders, word));
const unknown = words.filter((word) => !word.startsWith("--") && !/^\d+$/.test(word) && !chosen.includes(word));
if (unknown.length > 0) {
  console.error(`There is no reader ${unknown.join(", ")}. Known: ${Object.keys(allReaders).join(", ")}`);
  process.exit(2);
}
const only = option("case");
const cases = only === undefined ? Number(words.find((word) => /^\d+$/.test(word)) ?? 100_000) : 1;
const seed = option("seed") ?? Date.now() % 1_000_000;

let found = 0;
for (const reader of chosen.length > 0 ? chosen : Object.keys(allReaders)) {
  const { tallies, findings } = await fuzzReaders({ readers: [reader], seed, cases, from: only ?? 0 });
  console.log(formatTally(reader, tallies.get(reader)!, findings.length));
  for (const finding of firstOfEach(findings)) console.log(formatFinding(finding));
  found += findings.length;
}
process.exitCode = found === 0 ? 0 : 1;

function formatTally(
  reader: string,
  { cases: count, values, refusals, slowestMs, largestBytes, cpuMs }: Tally,
  n: number,
): string {
  const figures = `${count} cases, ${values} values, ${refusals} refusals, ${n} findings`;
  const mebibytes = (largestBytes / 2 ** 20).toFixed(1);
  return `${reader}: ${figures}, slowest ${slowestMs.toFixed(0)} ms, largest ${mebibytes} MiB, ${(cpuMs / 1000).toFixed(0)} s (seed ${seed})`;
}

/** A mistake is found many times in a long run: one case of each is enough to begin with. */
function firstOfEach(findings: readonly Finding[]): Finding[] {
  const first = new Map<string, Finding>();
  for (const finding of findings) {
    const place = /^ +at .*$/m.exec(finding.message)?.[0] ?? finding.message.replace(/\d+/g, "#").slice(0, 60);
    const key = `${finding.kind} ${place}`;
    if (!first.has(key)) first.set(key, finding);
  }
  return [...first.values()];
}

function formatFinding({ reader, number, kind, message, file }: Finding): string {
  return `  ${kind}: ${message.trimEnd().slice(0, 800)}\n    ${file}\n    npm run fuzz -- ${reader} --seed=${seed} --case=${number}`;
}
