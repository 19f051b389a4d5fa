import type { Alignment } from "./align-tokens.ts";

/** How many tokens differ, of how many. */
export interface ErrorCounts extends Alignment {
  /** Substitutions, deletions and insertions. */
  readonly errors: number;
  /** Errors for each token of the reference; may be above 1. Without any token: 0, or infinite where there are errors. */
  readonly rate: number;
}

/** The errors of one utterance. */
export interface UtteranceScore {
  readonly id: string;
  readonly words: ErrorCounts;
  readonly characters: ErrorCounts;
  /** As they were compared. */
  readonly hyp: string;
  readonly ref: string;
}

/** How far hypotheses are from their references. */
export interface Score {
  readonly utterances: number;
  /** Utterances with at least one wrong word. */
  readonly wrongUtterances: number;
  readonly words: ErrorCounts;
  readonly characters: ErrorCounts;
  /** Those with the most wrong words, worst first. */
  readonly worst: readonly UtteranceScore[];
}
