import type { Settings } from "./settings.ts";
import type { SnapshotEntry } from "./snapshot.ts";

/** The phases of a run, in their usual order. */
export const phases = [
  "start",
  "plan",
  "build env",
  "claim",
  "resume",
  "forward",
  "write",
  "checkpoint",
  "commit",
  "merge",
  "kill",
  "pause",
  "take over",
  "give back",
  "end",
] as const;
export type Phase = (typeof phases)[number];

/** A line of a source file, found by its text. */
export interface Anchor {
  readonly file: string;
  readonly line: string;
}

/** The state of a driver, job or worker. */
export interface ActorView {
  readonly id: number;
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  /** A short text: "builds its env". */
  readonly state: string;
  readonly isAlive: boolean;
  readonly isPaused: boolean;
  /** True if it runs items; false for a driver of other processes and a job. */
  readonly isWorker: boolean;
  readonly hasEnv: boolean;
  readonly holds: string | undefined;
  /** Items that the model is processing. */
  readonly inWork: readonly number[];
  /** Items whose results are not on disk yet: a kill would lose them. */
  readonly inMemory: readonly number[];
}

/** One moment of a run. */
export interface Step {
  readonly atMs: number;
  readonly phase: Phase;
  /** The actor of the step. */
  readonly actor: number;
  readonly title: string;
  readonly why: string;
  readonly code: Anchor;
  /** The start of the related line of the config. */
  readonly config: string | undefined;
  /** A file operation that can be skipped at first reading. */
  readonly isDetail: boolean;
  readonly files: readonly SnapshotEntry[];
  /** The names that this step created, changed or moved, below the run folder. */
  readonly touched: readonly string[];
  readonly actors: readonly ActorView[];
}

/** A run from its start to its end, with every resume. */
export interface Story {
  readonly settings: Settings;
  readonly config: string;
  readonly steps: readonly Step[];
  /** What the programs printed, with the time. */
  readonly output: readonly { readonly atMs: number; readonly text: string }[];
  /** The exit code of the last start of the example. */
  readonly exitCode: number;
}
