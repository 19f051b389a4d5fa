import { MillraceError } from "../../errors/errors.ts";

/** A problem of a line of a list. */
export interface LineProblem {
  /** Counted from 1. */
  readonly line: number;
  readonly what: string;
}

const maxShown = 200;

/** Collects the problems of a list, so that its author can fix all of them at once. */
export class LineProblems {
  private readonly name: string;
  private readonly onProblem: ((problem: LineProblem) => void) | undefined;
  private readonly shown: LineProblem[] = [];
  private count = 0;

  constructor(name: string, onProblem: ((problem: LineProblem) => void) | undefined) {
    this.name = name;
    this.onProblem = onProblem;
  }

  add(line: number, what: string): void {
    this.onProblem?.({ line, what });
    this.count++;
    if (this.shown.length < maxShown) this.shown.push({ line, what });
  }

  /** Throws if there were any, unless `onProblem` received them. */
  throwIfAny(hint: string): void {
    if (this.count === 0 || this.onProblem !== undefined) return;
    const lines = this.shown.map(({ line, what }) => `  line ${line}: ${what}`);
    if (this.count > maxShown) lines.push(`  and ${this.count - maxShown} more`);
    const title = this.count === 1 ? "one line is wrong" : `${this.count} lines are wrong`;
    throw new MillraceError("BAD_FILE", `${this.name}: ${title}:\n${lines.join("\n")}`, { hint });
  }
}
