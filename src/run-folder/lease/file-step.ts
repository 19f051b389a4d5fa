import { isThenable } from "../../runtime/is-thenable.ts";

/**
 * The protocol of leases and commits is written as generators that yield one file-system operation at a time. They do
 * no I/O themselves, so tests run the same code step by step, in any interleaving, on a model of a file system.
 */
export type FileStep =
  | { readonly do: "mkdir"; readonly path: string }
  | { readonly do: "rename"; readonly from: string; readonly to: string }
  | { readonly do: "exists"; readonly path: string }
  | { readonly do: "link"; readonly from: string; readonly to: string }
  | { readonly do: "same"; readonly path: string; readonly other: string }
  | { readonly do: "look"; readonly path: string }
  | { readonly do: "remove"; readonly path: string }
  | { readonly do: "committed"; readonly shard: number }
  | { readonly do: "wait"; readonly ms: number };

export type Steps<T> = Generator<FileStep, T, unknown>;

/** A file's text (empty for a folder) and its age by the clock of the file system it is on. */
export interface FileSnapshot {
  readonly text: string;
  readonly ageMs: number;
  /** When it was last written, by the clock of its file system. */
  readonly writtenMs?: number;
  /**
   * On a file system of several hosts, whose caches may show an old state: how long this process, by its own clock, has
   * found the file unchanged each time it looked. Undefined if every process sees each change at once.
   */
  readonly unchangedMs?: number | undefined;
}

/** "unsure": the folder was made, by this call or by another worker. A repeated call may get the answer to its first try. */
export function* makeFolder(path: string): Steps<"made" | "exists" | "unsure"> {
  return (yield { do: "mkdir", path }) as "made" | "exists" | "unsure";
}

/**
 * Returns "exists" if `to` is a folder that is not empty. "missing" may be the answer to a repeated call: then the first
 * one has moved it.
 */
export function* move(from: string, to: string): Steps<"moved" | "missing" | "exists"> {
  return (yield { do: "rename", from, to }) as "moved" | "missing" | "exists";
}

export function* exists(path: string): Steps<boolean> {
  return (yield { do: "exists", path }) as boolean;
}

/** Makes a hard link to a file, and replaces a file of that name. */
export function* link(from: string, to: string): Steps<void> {
  yield { do: "link", from, to };
}

/** Whether two names are of one file, or of two files that name the same worker. */
export function* isSameFile(path: string, other: string): Steps<boolean> {
  return (yield { do: "same", path, other }) as boolean;
}

export function* readFileStep(path: string): Steps<FileSnapshot | undefined> {
  return (yield { do: "look", path }) as FileSnapshot | undefined;
}

export function* remove(path: string): Steps<void> {
  yield { do: "remove", path };
}

/** Whether a shard is published and intact. */
export function* isCommitted(shard: number): Steps<boolean> {
  return (yield { do: "committed", shard }) as boolean;
}

/** Waits where a change may be seen late; false where none is, without waiting. */
export function* wait(ms: number): Steps<boolean> {
  return (yield { do: "wait", ms }) as boolean;
}

/** Carries out steps that are all synchronous. */
export function takeStepsNow<T>(steps: Steps<T>, take: (step: FileStep) => unknown): T {
  let next = steps.next();
  while (!next.done) next = steps.next(take(next.value));
  return next.value;
}

/** Carries out steps, one after the other. */
export async function takeSteps<T>(steps: Steps<T>, take: (step: FileStep) => unknown): Promise<T> {
  let next = steps.next();
  while (!next.done) {
    const answer = take(next.value);
    next = steps.next(isThenable(answer) ? await answer : answer);
  }
  return next.value;
}
