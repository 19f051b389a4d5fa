import { type Bytes, toByteSource } from "../byte-source.ts";
import { type LineProblem, LineProblems } from "../lines/line-problems.ts";
import { readTextLines } from "../lines/read-text-lines.ts";
import { parseScpLine, type ScpEntry } from "./scp-line.ts";

/** How wrong lines are handled. */
export interface ParseScpOptions {
  /** Called for each wrong line, which is then skipped. Without it, one error reports all of them. */
  readonly onProblem?: (problem: LineProblem) => void;
}

const maxLineBytes = 1 << 20;

/** The entries of an scp list. Unusable lines and duplicate keys are reported, all at once. */
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
  problems.throwIfAny("Each line is a key, a space and a file: utt1 feats.ark:123. Each key occurs once.");
  return entries;
}
