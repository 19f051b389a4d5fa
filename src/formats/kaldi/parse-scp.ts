import { type Bytes, toByteSource } from "../byte-source.ts";
import { type LineProblem, LineProblems } from "../lines/line-problems.ts";
import { readTextLines } from "../lines/read-text-lines.ts";
import { parseScpLine, type ScpEntry } from "./scp-line.ts";

/** What is done with lines that are wrong. */
export interface ParseScpOptions {
  /** Is told what is wrong line by line; such lines are then left out. Without it, all of them are one error. */
  readonly onProblem?: (problem: LineProblem) => void;
}

const maxLineBytes = 1 << 20;

/** The entries of an scp list. Lines that cannot be used and keys that come twice are reported, all of them at once. */
export function parseScp(input: Bytes, options: ParseScpOptions = {}): ScpEntry[] {
  const source = toByteSource(input);
  const problems = new LineProblems(source.name, options.onProblem);
  const lineOf = new Map<string, number>();
  const entries: ScpEntry[] = [];
  for (const { text, number } of readTextLines(source, { maxLineBytes })) {
    if (text.trim() === "") continue;
    const entry = parseScpLine(text);
    if (typeof entry === "string") {
      problems.add(number, entry);
    } else if (lineOf.has(entry.key)) {
      problems.add(number, `the key ${JSON.stringify(entry.key)} is already on line ${lineOf.get(entry.key)}`);
    } else {
      lineOf.set(entry.key, number);
      entries.push(entry);
    }
  }
  problems.throwIfAny("Each line is a key, a space and a file: utt1 feats.ark:123. Each key stands there once.");
  return entries;
}
