import { MillraceError } from "../../shared/errors.ts";

/** What is wrong with a line of a list. */
export interface LineProblem {
  /** Counted from 1. */
  readonly line: number;
  readonly what: string;
}

const mostShown = 200;

/** Gathers what is wrong in a list, so that its author mends all of it at once and not line by line. */
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
    if (this.shown.length < mostShown) this.shown.push({ line, what });
  }

  /** Throws if there were any, unless somebody was told of each. */
  throwIfAny(hint: string): void {
    if (this.count === 0 || this.onProblem !== undefined) return;
    const lines = this.shown.map(({ line, what }) => `  line ${line}: ${what}`);
    if (this.count > mostShown) lines.push(`  and ${this.count - mostShown} more`);
    const title = this.count === 1 ? "one line is wrong" : `${this.count} lines are wrong`;
    throw new MillraceError("BAD_FILE", `${this.name}: ${title}:\n${lines.join("\n")}`, { hint });
  }
}
