import type { Alignment } from "./align-tokens.ts";

/** Number of errors and of tokens. */
export interface ErrorCounts extends Alignment {
  /** Substitutions, deletions and insertions. */
  readonly errors: number;
  /** Errors per token of the reference; may be above 1. Without tokens: 0, or infinite if there are errors. */
  readonly rate: number;
}

/** The errors of one utterance. */
export interface UtteranceScore {
  readonly id: string;
  readonly words: ErrorCounts;
  readonly characters: ErrorCounts;
  /** The normalised texts. */
  readonly hyp: string;
  readonly ref: string;
}

/** The error rates of hypotheses. */
export interface Score {
  readonly utterances: number;
  /** Utterances with at least one wrong word. */
  readonly wrongUtterances: number;
  readonly words: ErrorCounts;
  readonly characters: ErrorCounts;
  /** The utterances with the most wrong words, worst first. */
  readonly worst: readonly UtteranceScore[];
}
