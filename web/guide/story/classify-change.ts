import { type Claimable, parseAttemptName, shardIdOf } from "../../../src/run-folder/files/run-paths.ts";
import type { DiskChange } from "../machine/machine.ts";
import { runDir } from "./example-files.ts";
import { isPassing } from "./snapshot.ts";

/** The meaning of a disk change for the run. */
export type RunEvent =
  | { readonly is: "manifest" | "spec" | "merged" | "stop" | "first-look" | "merged-file" }
  | { readonly is: "job"; readonly name: string }
  | { readonly is: "report"; readonly worker: string }
  | {
      readonly is: "claim" | "lease" | "records" | "failures" | "checkpoint" | "done" | "note" | "fence" | "drop";
      readonly unit: Claimable;
      readonly attempt: number;
      readonly name: string;
    }
  | { readonly is: "commit"; readonly unit: number; readonly attempt: number }
  | { readonly is: "tidy"; readonly path: string };

/** Classifies a disk change; undefined if it is not a step of the run. */
export function classifyChange(change: DiskChange): RunEvent | undefined {
  const path = inRun("to" in change ? change.to : change.path);
  if (path === undefined || isPassing(path.split("/").at(-1)!)) return undefined;
  const parts = path.split("/");
  if (change.do === "move" && parts.length === 1) return commitOf(inRun(change.path)!, parts[0]!);
  if (parts[0] === "manifest.json") return change.do === "link" ? { is: "manifest" } : undefined;
  if (parts[0] !== ".millrace") return undefined;
  const [, place, name, file] = parts;
  if (place === "attempts" && name !== undefined) return attemptEvent(change, name, file);
  if (place === "leases" && name !== undefined && change.do === "link") return ofAttempt("lease", name);
  if (place === "workers" && name !== undefined && change.do === "make")
    return { is: "report", worker: name.replace(/\.json$/, "") };
  if (place === "jobs" && name !== undefined && change.do === "move") return { is: "job", name };
  if (change.do !== "move" || name !== undefined) return undefined;
  if (place === "spec.json") return { is: "spec" };
  if (place === "merged.json") return { is: "merged" };
  if (place === "stop") return { is: "stop" };
  return place === "first-look.json" ? { is: "first-look" } : undefined;
}

function commitOf(from: string, to: string): RunEvent | undefined {
  const shard = shardIdOf(to);
  const attempt = parseAttemptName(from.split("/").at(-1)!)?.attempt;
  if (shard !== undefined && attempt !== undefined) return { is: "commit", unit: shard, attempt };
  return { is: "merged-file" };
}

function attemptEvent(change: DiskChange, folder: string, file: string | undefined): RunEvent | undefined {
  if (file === undefined) {
    if (change.do === "make") return ofAttempt("claim", folder);
    if (change.do === "move") return ofAttempt("fence", folder);
    return folder.includes(".fenced") ? { is: "tidy", path: folder } : ofAttempt("drop", folder);
  }
  if (change.do !== "write") return undefined;
  if (file === "records.jsonl") return ofAttempt("records", folder);
  if (file === "failures.jsonl") return ofAttempt("failures", folder);
  if (file === "done") return ofAttempt("done", folder);
  if (file.startsWith(".checkpoint.")) return ofAttempt("checkpoint", folder);
  return ofAttempt("note", folder, file);
}

function ofAttempt(
  is: Extract<RunEvent, { name: string; unit: unknown }>["is"],
  folder: string,
  name = "",
): RunEvent | undefined {
  const parsed = parseAttemptName(folder);
  return parsed === undefined ? undefined : { is, unit: parsed.target, attempt: parsed.attempt, name };
}

function inRun(path: string): string | undefined {
  return path.startsWith(`${runDir}/`) ? path.slice(runDir.length + 1) : undefined;
}
