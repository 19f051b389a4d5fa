import type { DataDirProblem } from "./kaldi/validate-data-dir.ts";

/** How often a rule dropped an utterance. */
export interface RuleCount {
  readonly rule: string;
  readonly utterances: number;
  /** Of audio, as far as it was read. */
  readonly seconds: number;
}

/** What became of a corpus: the content of `stats.json`. Kept, dropped and failed utterances are all there are. */
export interface PrepStats {
  readonly utterances: number;
  readonly kept: number;
  readonly dropped: number;
  /** Neither: reading or computing went wrong, and `onError` let it pass. */
  readonly failed: number;
  /** Of what is kept. */
  readonly speakers: number;
  readonly seconds: {
    readonly kept: number;
    /** Cut off from what is kept. */
    readonly trimmed: number;
    /** As far as it was read. */
    readonly dropped: number;
  };
  /** Every rule that dropped anything, in the order in which they are asked. */
  readonly rules: readonly RuleCount[];
}

/** What became of a corpus, and where it is. */
export interface PrepSummary extends PrepStats {
  readonly outputDir: string;
  readonly manifest: string;
  /** The dropped and the failed, each with its rule. */
  readonly droppedList: string;
  readonly statsFile: string;
  readonly kaldiDir: string;
  /** What Kaldi would not accept of it. Empty, unless the config asked for it. */
  readonly kaldiProblems: readonly DataDirProblem[];
  readonly datasetDir: string | undefined;
}
