import { relative } from "node:path";
import { describeCalls, describeJobs, formatCount, formatDuration } from "../driver/progress/progress-line.ts";
import { showProgress } from "../driver/progress/show-progress.ts";
import { changedCode } from "../run-folder/run/changed-code.ts";
import type { RunFailure } from "../run-folder/run/last-failure.ts";
import { isUnderWay, type RunStatus } from "../run-folder/run/run-status.ts";
import { sleep } from "../runtime/sleep.ts";
import { formatMoment } from "../text/format-moment.ts";
import { readable } from "../text/readable.ts";
import { shellWord } from "../text/shell-word.ts";
import { type Command, exitCode } from "./command.ts";
import { shortPlace } from "./place-of-error.ts";
import { pollRun } from "./poll-run.ts";
import { runName } from "./run-name.ts";

const pollEveryMs = 500;
const jsonEveryMs = 1000;

export const status: Command = {
  name: "status",
  usage: "RUN [--watch] [--json]",
  summary: "Shows the state of the run in the folder RUN, from any host that can read the folder.",
  details: `Exit code ${exitCode.failed} where an error has ended the run (failed), ${exitCode.ok} in every other state.`,
  options: {
    watch: { type: "boolean", short: "w", help: "update until no process works on it any more" },
    json: { type: "boolean", help: "one JSON object (with --watch: one a line, every second)" },
  },
  examples: ["millrace status exp/prep", "millrace status exp/prep --json", "millrace status exp/prep --watch"],
  arguments: { min: 1, max: 1 },
  async run({ positionals: [runDir], has }) {
    const look = await pollRun(runDir!, { isReadOnly: true });
    let now = await look.now();
    if (has("watch")) {
      const display = has("json") ? undefined : showProgress(runDir!, runName(runDir!), { afterMs: 0, ...look });
      while (isUnderWay(now.state)) {
        if (has("json")) printJson(now);
        await sleep(has("json") ? jsonEveryMs : pollEveryMs);
        now = await look.now();
      }
      await display?.stop();
    }
    const codeChanged = await changedCode(runDir!);
    if (has("json")) printJson({ ...now, codeChanged });
    else process.stdout.write(describeRun(now) + describeCode(codeChanged));
    return now.state === "failed" ? exitCode.failed : exitCode.ok;
  },
};

/** One JSON object on a line of stdout. */
export function printJson(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Describes a status in a few lines. */
export function describeRun(status: RunStatus): string {
  const {
    runDir,
    state,
    items,
    shards,
    workers,
    itemsPerSecond,
    etaSeconds,
    jobs,
    calls,
    jobProblems = [],
    failure,
  } = status;
  const odd = [
    items.dropped > 0 ? `, ${formatCount(items.dropped)} dropped` : "",
    items.failed > 0 ? `, ${formatCount(items.failed)} failed` : "",
  ].join("");
  const damaged = shards.damaged > 0 ? `, ${shards.damaged} damaged` : "";
  const pace = itemsPerSecond > 0 ? `, ${formatCount(itemsPerSecond)} items/s` : "";
  const left = etaSeconds === undefined || items.done === items.total ? "" : `, ${formatDuration(etaSeconds)} left`;
  const lines = [
    `${runDir}: ${state}`,
    ...(failure === undefined ? [] : failureLines(failure)),
    `  items    ${formatCount(items.done)} of ${formatCount(items.total)}${odd}`,
    `  shards   ${formatCount(shards.committed)} of ${formatCount(shards.total)} committed${damaged}`,
    `  workers  ${workers.length}${pace}${left}`,
    ...workers.map(
      ({ host, pid, shard, position }) =>
        `    ${host}:${pid} ${shard === undefined ? "between shards" : `at item ${formatCount(position)} of split.${shard}`}`,
    ),
    ...(calls === undefined ? [] : [`  calls    ${describeCalls(calls)}`]),
    ...(jobs === undefined ? [] : [`  jobs     ${describeJobs(jobs)}`]),
    ...jobProblems.map((problem) => `  record   ${readable(problem)}`),
    ...(items.failed > 0 ? [`  failed   ${onFailed(runDir)}`] : []),
    "",
  ];
  return readable(lines.join("\n"));
}

/** Reports whether the code still equals the code that made the outputs. */
function describeCode(changed: readonly string[]): string {
  if (changed.length === 0) return "";
  return `  code     not the code that made the outputs: ${changed.slice(0, 3).join(", ")}${changed.length > 3 ? ", …" : ""}\n`;
}

/** The error that ended a run, where it happened, and what to do. */
function failureLines({ code, message, hint, item, place, worker, at }: RunFailure): string[] {
  const where = [
    item === undefined ? [] : [`item ${item}`],
    place === undefined ? [] : [shortPlace(place)],
    worker === undefined ? [] : [`worker ${worker}`],
    at === undefined ? [] : [formatMoment(at)],
  ].flat();
  const indented = (text: string) => readable(text).replaceAll("\n", "\n           ");
  return [
    `  error    ${indented(`${code}: ${message}`)}`,
    ...(where.length === 0 ? [] : [`  at       ${indented(where.join(", "))}`]),
    ...(hint === undefined ? [] : [`  -> ${indented(hint)}`]),
  ];
}

// If items have failed: how to find out why, and what to do.
function onFailed(runDir: string): string {
  const run = shellWord(relative(process.cwd(), runDir) || ".");
  return `millrace report ${run} shows why, millrace retry ${run} runs them again`;
}
