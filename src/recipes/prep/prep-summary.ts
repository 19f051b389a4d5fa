import type { DataDirProblem } from "./kaldi/validate-data-dir.ts";

/** How many utterances a rule dropped. */
export interface RuleCount {
  readonly rule: string;
  readonly utterances: number;
  /** Of audio, as far as it was read. */
  readonly seconds: number;
}

/** The statistics of a corpus: the content of `stats.json`. Every utterance is kept, dropped or failed. */
export interface PrepStats {
  readonly utterances: number;
  readonly kept: number;
  readonly dropped: number;
  /** Reading or computing failed, and `onError` skipped the utterance. */
  readonly failed: number;
  /** Of the kept utterances. */
  readonly speakers: number;
  readonly seconds: {
    readonly kept: number;
    /** Cut off from the kept utterances. */
    readonly trimmed: number;
    /** As far as it was read. */
    readonly dropped: number;
  };
  /** Every rule that dropped anything, in the order in which they are checked. */
  readonly rules: readonly RuleCount[];
}

/** The result of a preparation, and its files. */
export interface PrepSummary extends PrepStats {
  readonly outputDir: string;
  readonly manifest: string;
  /** The dropped and failed utterances, each with its rule. */
  readonly droppedList: string;
  readonly statsFile: string;
  readonly kaldiDir: string;
  /** What Kaldi would not accept. Empty unless the config allows it. */
  readonly kaldiProblems: readonly DataDirProblem[];
  readonly datasetDir: string | undefined;
}
