import type { Settings } from "./settings.ts";
import type { SnapshotEntry } from "./snapshot.ts";

/** The phases of a run, in the order in which one usually meets them. */
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

/** A line of a source file, named by what stands in it. */
export interface Anchor {
  readonly file: string;
  readonly line: string;
}

/** What a driver, a job or a worker is at. */
export interface ActorView {
  readonly id: number;
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  /** In words: "builds its env". */
  readonly state: string;
  readonly isAlive: boolean;
  readonly isPaused: boolean;
  /** It runs items; a driver of others and a job do not. */
  readonly isWorker: boolean;
  readonly hasEnv: boolean;
  readonly holds: string | undefined;
  /** Items that the model is at. */
  readonly inWork: readonly number[];
  /** Items whose results are not on the disk yet: a kill would take them. */
  readonly inMemory: readonly number[];
}

/** One moment of a run. */
export interface Step {
  readonly atMs: number;
  readonly phase: Phase;
  /** Whose step it is. */
  readonly actor: number;
  readonly title: string;
  readonly why: string;
  readonly code: Anchor;
  /** How the line of the config begins that this is about. */
  readonly config: string | undefined;
  /** A file operation that one may leave out at first reading. */
  readonly isDetail: boolean;
  readonly files: readonly SnapshotEntry[];
  /** The names that this step has made, changed or moved, below the run folder. */
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
  /** How the last start of the example ended. */
  readonly exitCode: number;
}
