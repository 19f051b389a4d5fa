import { relative } from "node:path";
import { groupFailures } from "../driver/group-failures.ts";
import { describeCalls, describeJobs, formatCount } from "../driver/progress/progress-line.ts";
import { readFailures } from "../driver/read-failures.ts";
import { type RunPaths, runPaths } from "../run-folder/files/run-paths.ts";
import type { RunFailure } from "../run-folder/run/last-failure.ts";
import { readMerged } from "../run-folder/run/merged.ts";
import { isComplete } from "../run-folder/run/run-state.ts";
import type { RunStatus, WorkerStatus } from "../run-folder/run/run-status.ts";
import { inspectShard } from "../run-folder/shard/done.ts";
import { formatDuration } from "../text/format-duration.ts";
import { formatMoment } from "../text/format-moment.ts";
import { readable } from "../text/readable.ts";
import { shellWord } from "../text/shell-word.ts";
import { shortPlace } from "./place-of-error.ts";
import { stateWord } from "./state-word.ts";

/** What a command itself has done of a run. */
export interface OwnPart {
  readonly seconds: number;
  /** Items that it has done. */
  readonly items: number;
}

const maxReasons = 3;

/** Describes a status in a few lines, one for each thing there is to say. `own`: for the command that has just worked on it. */
export function describeRun(status: RunStatus, own?: OwnPart): string {
  const { runDir, state, stalled, items, shards, workers, jobs, calls, jobProblems = [], failure } = status;
  const isOver = isComplete(state);
  const paths = runPaths(runDir);
  const counts = [
    `${formatCount(items.done)} of ${formatCount(items.total)}`,
    ...(items.dropped > 0 ? [`${formatCount(items.dropped)} dropped`] : []),
    ...(items.failed > 0 ? [`${formatCount(items.failed)} failed`] : []),
  ].join(", ");
  const rows: (readonly [name: string, ...values: string[]])[] = [
    ...(failure === undefined ? [] : failureRows(failure)),
    ["items", counts],
    ...(isOver && shards.damaged === 0 ? [] : [["shards", describeShards(status)] as const]),
    ...(own === undefined || own.items === 0 ? [] : [["took", describePace(own)] as const]),
    ...(workers.length === 0 ? [] : [["workers", describeWorkers(status), ...workers.map(describeWorker)] as const]),
    ...(calls === undefined || isOver ? [] : [["calls", describeCalls(calls)] as const]),
    ...(jobs === undefined || isOver ? [] : [["jobs", describeJobs(jobs)] as const]),
    ...jobProblems.map((problem) => ["record", readable(problem)] as const),
    ...(isOver ? whereRecords(paths).map((where) => ["records", where] as const) : []),
    ...(items.failed > 0 ? [["failed", ...describeFailed(runDir, own !== undefined)] as const] : []),
  ];
  const lines = rows.flatMap(([name, first = "", ...more]) => [
    `  ${name === "->" ? "->" : name.padEnd(8)} ${first}`,
    ...more.map((text) => `    ${text}`),
  ]);
  const head = `${readable(runDir)}: ${stateWord(state)}${stalled === undefined ? "" : `, ${readable(stalled)}`}`;
  return `${head}\n${readable(lines.join("\n"))}\n`;
}

/** A path as a word of a command that is typed here. */
function here(path: string): string {
  return relative(process.cwd(), path) || ".";
}

function describeShards({ shards }: RunStatus): string {
  const damaged = shards.damaged > 0 ? `, ${formatCount(shards.damaged)} damaged` : "";
  return `${formatCount(shards.committed)} of ${formatCount(shards.total)} committed${damaged}`;
}

function describePace({ seconds, items }: OwnPart): string {
  const rate = seconds > 0 ? ` (${formatCount(items / seconds)} items/s)` : "";
  return `${formatDuration(seconds)} for ${formatCount(items)} items${rate}`;
}

function describeWorkers({ workers, itemsPerSecond, etaSeconds, items }: RunStatus): string {
  const pace = itemsPerSecond > 0 ? `, ${formatCount(itemsPerSecond)} items/s` : "";
  const left = etaSeconds === undefined || items.done === items.total ? "" : `, ${formatDuration(etaSeconds)} left`;
  return `${workers.length}${pace}${left}`;
}

/** A worker by its name, which logs and dashboard show too, and where it runs. */
function describeWorker({ worker, host, pid, shard, position }: WorkerStatus): string {
  const where = shard === undefined ? "between shards" : `at item ${formatCount(position)} of split.${shard}`;
  return `${worker} (${host}:${pid}) ${where}`;
}

/** Where the results are: the merged files, or else those of the shards. */
function whereRecords(paths: RunPaths): string[] {
  const merged = readMerged(paths)?.files ?? [];
  if (merged.length > 0) return [listNames(merged.map(({ name }) => here(paths.output(name))))];
  const first = inspectShard(paths.shard(0));
  if (first.state !== "committed" || first.done.files.length === 0) return [];
  const names = first.done.files.map(({ name }) => name).filter((name) => name !== "failures.jsonl");
  return names.length === 0 ? [] : [listNames(names.map((name) => `${here(paths.root)}/split.*/${name}`))];
}

function listNames(names: readonly string[]): string {
  return names.length <= 3 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more files`;
}

/** The error that ended a run, where it happened, and what to do. */
function failureRows({ code, message, hint, item, place, worker, at }: RunFailure): (readonly [string, string])[] {
  const where = [
    item === undefined ? [] : [`item ${item}`],
    place === undefined ? [] : [shortPlace(place)],
    worker === undefined ? [] : [`worker ${worker}`],
    at === undefined ? [] : [formatMoment(at)],
  ].flat();
  const indented = (text: string) => readable(text).replaceAll("\n", "\n           ");
  return [
    ["error", indented(`${code}: ${message}`)],
    ...(where.length === 0 ? [] : [["at", indented(where.join(", "))] as const]),
    ...(hint === undefined ? [] : [["->", indented(hint)] as const]),
  ];
}

/** Why items failed, for the command that saw them fail, and how to see more. Reading all failures takes time. */
function describeFailed(runDir: string, isDetailed: boolean): string[] {
  const run = shellWord(here(runDir));
  const hint = `millrace failures ${run} shows why, millrace retry ${run} runs them again`;
  if (!isDetailed) return [hint];
  const groups = groupFailures(readFailures(runDir));
  const reasons = groups.slice(0, maxReasons).map(({ count, message }) => `${formatCount(count)} x ${message}`);
  const more = groups.length > maxReasons ? [`and ${formatCount(groups.length - maxReasons)} more reasons`] : [];
  return [hint, ...reasons, ...more];
}
