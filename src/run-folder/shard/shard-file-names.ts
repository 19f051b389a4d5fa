import { isAbsolute, normalize, sep } from "node:path";
import { MillraceError } from "../../errors/errors.ts";

/** The records of a shard and of the merged run, unless the runner has custom writers. */
export const recordsName = "records.jsonl";
/** The items that failed, if any did. */
export const failuresName = "failures.jsonl";
/** The final state of a shard, if there is one. */
export const stateName = "state.json";
export const doneName = "done";
/** Notes of an attempt for the next one: the item that runs, how the worker ended, that it was released. */
export const itemNoteName = ".item";
export const exitNoteName = ".exit";
export const releasedNoteName = ".released";
/** The attempt was put aside before its worker had begun. */
export const unusedNoteName = ".unused";

/** The prefix of files that only checkpoints need: the two files of the checkpoint log, and files of writers. */
export const checkpointPrefix = ".checkpoint.";

/**
 * The path of a file in the folder of a shard or attempt. Not made with `join`, which parses each path again: there are
 * several for every shard, or one for every item.
 */
export function fileOf(shardDir: string, name: string): string {
  return `${shardDir}${sep}${name}`;
}

const notes = [itemNoteName, exitNoteName, releasedNoteName, unusedNoteName];
const reserved = [failuresName, stateName, doneName, ...notes];

/** Whether a file in an attempt's folder is internal and not an output. */
export function isMachinery(name: string): boolean {
  return name === doneName || notes.includes(name) || name.startsWith(checkpointPrefix);
}

/**
 * Checks the name of a writer's file. It may come from data: it must not lead out of the shard folder or be the name of
 * an internal file.
 */
export function checkFileName(name: string): string {
  // Called for every shard, usually with the same few names.
  const known = checkedNames.get(name);
  if (known !== undefined) return known;
  const clean = cleanFileName(name);
  if (checkedNames.size < 100) checkedNames.set(name, clean);
  return clean;
}

/**
 * The name of a file that only checkpoints need: one with rows that are not written to the output yet, for instance. It
 * is not an output of the shard, and is removed when the shard is complete.
 */
export function checkpointFileName(name: string): string {
  return `${checkpointPrefix}${name.replaceAll("%", "%25").replaceAll("/", "%2F")}`;
}

/**
 * Whether a name that was read from a file of a run stays inside of its folder: it is relative, and no part is empty,
 * `.` or `..`.
 */
export function isInsideName(name: string): boolean {
  return !name.includes("\0") && name.split("/").every((step) => step !== "" && step !== "." && step !== "..");
}

/** Whether `done` and checkpoints may contain this file name. */
export function isShardFileName(name: unknown): name is string {
  return typeof name === "string" && isInsideName(name) && !isMachinery(name);
}

const checkedNames = new Map<string, string>();

function cleanFileName(name: string): string {
  const clean = normalize(name).split(sep).join("/");
  const [first = ""] = clean.split("/");
  const isBad = ["", ".", ".."].includes(first) || reserved.includes(first) || first.startsWith(".checkpoint");
  if (!isBad && !clean.endsWith("/") && !isAbsolute(name) && !name.includes("\0")) return clean;
  throw new MillraceError("BAD_OPTION", `${JSON.stringify(name)} cannot be the name of a file in a shard folder.`, {
    hint: `Use a relative name that stays inside the folder and is none of ${reserved.join(", ")} or .checkpoint….`,
  });
}
