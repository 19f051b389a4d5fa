/** What a fuzz process is asked for. */
export interface FuzzRequest {
  readonly readers: readonly string[];
  readonly seed: number;
  /** The first case of the first reader; the others begin at 0. */
  readonly from: number;
  /** The number of the last case and one more. */
  readonly to: number;
  /** No further case of a reader begins behind this much CPU time. */
  readonly cpuMsEach: number;
  /** Where it keeps its progress, its files and what it finds. */
  readonly folder: string;
}

/** What a case has shown. Plain data: it goes from process to process. */
export interface Finding {
  readonly reader: string;
  readonly seed: number;
  readonly number: number;
  readonly kind: string;
  readonly message: string;
  /** The file of the case. */
  readonly file: string;
}

/**
 * The numbers that a fuzz process keeps on disk, so that they are known when it dies: the reader that it is at, the case that
 * it runs, and the tally of that reader.
 */
export interface Tally {
  readonly reader: number;
  number: number;
  cases: number;
  values: number;
  refusals: number;
  slowestMs: number;
  largestBytes: number;
  /** Of all of it: making the files, too. */
  cpuMs: number;
}

const keys = ["reader", "number", "cases", "values", "refusals", "slowestMs", "largestBytes", "cpuMs"] as const;

export function encodeTally(tally: Tally): Uint8Array {
  return new Uint8Array(Float64Array.from(keys, (key) => tally[key]).buffer);
}

export function decodeTally(bytes: Uint8Array): Tally {
  const numbers = new Float64Array(new Uint8Array(bytes).buffer);
  return Object.fromEntries(keys.map((key, i) => [key, numbers[i] ?? 0])) as unknown as Tally;
}

export const progressName = "progress";
export const findingsName = "findings.jsonl";
export const talliesName = "tallies.jsonl";
