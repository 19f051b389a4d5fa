import { describeCodeChange, type OnCodeChange, policyFor } from "../code/compare-code.ts";
import type { BatchOptions } from "../contract/runner-options.ts";
import type { Task } from "../contract/task.ts";
import { identifyRun } from "../driver/identify-run.ts";
import { judgeCode } from "../driver/judge-code.ts";
import { formatCount } from "../driver/progress/progress-line.ts";
import { chooseLauncher } from "../launchers/choose-launcher.ts";
import { collectItems } from "../plan/collect-items.ts";
import type { ItemList } from "../plan/item-list.ts";
import { makePlan } from "../plan/make-plan.ts";
import { runPaths } from "../run-folder/files/run-paths.ts";
import { compareFingerprints, makeFingerprint, makeUnmaskedFingerprint } from "../run-folder/run/fingerprint.ts";
import { type Manifest, readManifest } from "../run-folder/run/manifest.ts";
import { isComplete as isStateComplete } from "../run-folder/run/run-state.ts";
import { runStatus } from "../run-folder/run/run-status.ts";
import { maskSecrets } from "../secrets/secret-values.ts";
import { shellWord } from "../text/shell-word.ts";
import { type Command, countOf, exitCode, trustOf, trustOption } from "./command.ts";
import { itemsOf, writtenItems } from "./items-of.ts";
import { limitItems } from "./limit-items.ts";
import { makeRunner } from "./make-runner.ts";
import { onlyJsonOnStdout } from "./only-json.ts";
import { hasTarget, locateTargets, type RunConfig, readRunConfig } from "./run-config.ts";
import { printJson } from "./status.ts";

export const plan: Command = {
  name: "plan",
  usage: "CONFIG [key=value …] [--count] [--limit N] [--trust] [--json]",
  summary:
    "Shows what `millrace run` would do with a config: items, shards, batches, workers. Nothing is started or written.",
  details:
    "Without --count no code of the project is run: the items are those that the config names, or those of the run that\n" +
    "is already in the folder.",
  options: {
    count: {
      type: "boolean",
      help: "run the project's code, to count the items and to compare config and code with the existing run",
    },
    limit: { type: "string", value: "N", help: "only the first N items, as `millrace run --limit N` would run them" },
    trust: trustOption,
    json: { type: "boolean", help: "as a JSON object" },
  },
  examples: [
    "millrace plan prep.yaml",
    "millrace plan prep.yaml --count",
    "millrace plan prep.yaml +runner.batch_size=20 --json",
  ],
  arguments: { min: 1, max: Number.POSITIVE_INFINITY },
  runsUserCode: true,
  async run(input) {
    const [path, ...overrides] = input.positionals;
    const limit = countOf(plan, input, "limit");
    const isCounting = input.has("count");
    const config = await readRunConfig(path!, overrides, { limit, trust: isCounting ? trustOf(input) : "none" });
    const inspect = isCounting ? inspectWithCode : inspectWithoutCode;
    const summary = await onlyJsonOnStdout(() => summarize(config, limit, inspect));
    if (input.has("json")) printJson(summary);
    else process.stdout.write(describe(summary, config));
    return exitCode.ok;
  },
};

interface Summary {
  readonly runDir: string;
  /** True if the folder contains a run, complete or not. */
  readonly isBegun: boolean;
  /** True if it is complete and merged, and no change is known: `run` then starts nothing. */
  readonly isComplete: boolean;
  readonly done: number;
  /** The differences to the existing run: `run` then refuses to continue. Null if they were not compared. */
  readonly changed: readonly string[] | null;
  /** The changes of the code since the outputs were made, and what `run` does about them. */
  readonly code: { readonly changed: readonly string[]; readonly verdict: OnCodeChange } | null;
  /** Null if only code can count them. Then batches are null too, and the shards of a new run. */
  readonly items: number | null;
  readonly shards: number | null;
  /** Undefined if they are made by cost. */
  readonly batches: number | null | undefined;
  readonly env: string;
  readonly workers: number;
  /** The script for the scheduler or ssh; null if workers are started without one. */
  readonly jobScript: string | null;
  /** The number of jobs of each submission; the script is that of the first. */
  readonly submissions: readonly number[];
}

/** What is known about the items, and about changes since the run was created. */
interface Findings extends Pick<Summary, "changed" | "code"> {
  readonly items: ItemList | undefined;
  /** Undefined if only code knows how the items are batched. */
  readonly batch: BatchOptions | undefined;
}

type Inspect = (config: RunConfig, begun: Manifest | undefined, limit: number | undefined) => Promise<Findings>;

async function summarize(config: RunConfig, limit: number | undefined, inspect: Inspect): Promise<Summary> {
  const { parallel, runDir, options } = config;
  const launcher = await chooseLauncher(parallel);
  launcher.check(parallel);
  const begun = readManifest(runPaths(runDir));
  const { items, batch, changed, code } = await inspect(config, begun, limit);
  const cutting = { shards: options.shards, batchSize: batch?.batchSize ?? undefined, workers: parallel.nWorkers };
  const isKnown = items !== undefined && batch !== undefined;
  const { shardCount } = begun?.plan ?? (isKnown ? makePlan(items, cutting) : { shardCount: null });
  const status = begun === undefined ? undefined : await runStatus(runDir);
  const isChanged = (changed !== null && changed.length > 0) || code !== null;
  const isComplete = status !== undefined && isStateComplete(status.state) && !isChanged;
  // If the number of shards is unknown, assume enough for every worker.
  const pending = shardCount ?? parallel.nWorkers;
  const job = isComplete || launcher.kind !== "queued" ? undefined : launcher.describe({ runDir, parallel, pending });
  return {
    runDir,
    isBegun: begun !== undefined,
    isComplete,
    done: status?.items.done ?? 0,
    changed,
    code,
    items: items?.count ?? null,
    shards: shardCount,
    batches: batch?.batchBy !== undefined ? undefined : isKnown ? batchesOf(items, batch) : null,
    env: parallel.env,
    workers: launcher.kind === "inline" ? 1 : Math.min(parallel.nWorkers, pending),
    jobScript: job === undefined ? null : maskSecrets(job.text),
    submissions: job?.tasks ?? [],
  };
}

function batchesOf({ count }: ItemList, { batchSize }: BatchOptions): number {
  return Math.ceil(count / (batchSize ?? 1));
}

/** What is known from config and run folder, without running code. */
const inspectWithoutCode: Inspect = async (config, begun, limit) => {
  locateTargets(config);
  const written = writtenItems(config);
  const items = written === undefined ? begun?.plan.items : await collectItems(limitItems(written, limit));
  return { items, batch: writtenBatch(config), changed: begun === undefined ? [] : null, code: null };
};

/** The batches that a config asks for. A run of `defineRun`, which needs no target of a provider, may have its own. */
function writtenBatch({ options, sections: { provider, runner } }: RunConfig): BatchOptions | undefined {
  const hasBatch = options.batchSize != null || options.batchBy !== undefined;
  const isDefinition = !hasTarget(provider) || provider._target_ === runner._target_;
  return hasBatch || !isDefinition ? options : undefined;
}

/** What is known after creating provider and runner, as `millrace run` does. */
const inspectWithCode: Inspect = async (config, begun, limit) => {
  const { provider, runner } = await makeRunner(config);
  const task = runner["~task"]();
  const items = await collectItems(limitItems(await itemsOf(config, provider), limit));
  const changes = begun === undefined ? { changed: [], code: null } : compare(config, task, items, begun);
  return { items, batch: task.options.work, ...changes };
};

/** The changes that a start would find, and what it would do about them. */
function compare(
  { runDir, options: { onCodeChange, acceptChange = false } }: RunConfig,
  task: Task<unknown>,
  items: ItemList,
  begun: Manifest,
): Pick<Summary, "changed" | "code"> {
  const { parts: identity, code } = identifyRun(task);
  const parts = { ...identity, items };
  const differences = compareFingerprints(begun.fingerprint, makeFingerprint(parts), makeUnmaskedFingerprint(parts));
  const changed = differences.map(({ key }) => key);
  const { change } = judgeCode(runPaths(runDir), begun, { code, onCodeChange, acceptChange });
  if (change === undefined) return { changed, code: null };
  const reaction = acceptChange ? "accept" : policyFor(change, onCodeChange);
  return { changed, code: { changed: describeCodeChange(change), verdict: reaction } };
}

function describeSubmissions(env: string, [first = 0, ...others]: readonly number[]): string {
  if (env === "ssh") return "as follows, started by this command";
  if (others.length === 0) return "as follows";
  const more = others.reduce((sum, tasks) => sum + tasks, 0);
  return `as follows, and ${formatCount(others.length)} more like it: an array holds ${formatCount(first)} jobs at most, and ${formatCount(more)} ${more === 1 ? "is" : "are"} left`;
}

function describe(summary: Summary, config: RunConfig): string {
  const { runDir, isBegun, code, shards, env, workers, jobScript, submissions } = summary;
  return [
    `${runDir}: ${stateText(summary)}`,
    `  items    ${describeItems(summary, config)}`,
    ...(shards === null
      ? []
      : [`  shards   ${formatCount(shards)}${isBegun ? ", as they were planned when the run was begun" : ""}`]),
    `  workers  ${formatCount(workers)} (${env})`,
    ...(jobScript === null ? [] : [`  job      ${describeSubmissions(env, submissions)}`]),
    ...describeChanges(summary, config),
    ...(code === null ? [] : [`  code     ${code.changed.slice(0, 5).join(", ")}: ${onCode[code.verdict]}`]),
    ...(jobScript === null ? [""] : ["", jobScript]),
  ].join("\n");
}

function describeItems({ items, batches }: Summary, config: RunConfig): string {
  if (items === null) {
    const counter = locateTargets(config).at(config.sections.items == null ? 0 : -1);
    return `not known: the code of ${counter} counts them; ${countingCommand(config)} runs it`;
  }
  if (batches === undefined) return `${formatCount(items)}, in batches by their cost`;
  if (batches === null)
    return `${formatCount(items)}; how they are batched is in the code: ${countingCommand(config)} runs it`;
  return batches === items ? formatCount(items) : `${formatCount(items)} in ${formatCount(batches)} batches`;
}

function describeChanges({ changed }: Summary, config: RunConfig): string[] {
  if (changed === null)
    return [`  changed  not known: ${countingCommand(config)} compares config and code with the run`];
  if (changed.length === 0) return [];
  return [
    `  changed  ${changed.slice(0, 5).join(", ")}${changed.length > 5 ? ", …" : ""}: \`millrace run\` refuses this`,
    `           ${changed.includes("items") ? "without --restart" : "without --accept-change or --restart"}`,
  ];
}

function countingCommand({ path }: RunConfig): string {
  return `\`millrace plan ${shellWord(path)} --count\``;
}

const onCode = {
  refuse: "`millrace run` refuses this without --accept-change or --restart",
  warn: "`millrace run` warns and continues",
  accept: "`millrace run` continues",
} as const;

function stateText({ isBegun, isComplete, done }: Summary): string {
  if (isComplete) return `complete, all ${formatCount(done)} items are done: nothing is left`;
  return isBegun ? `begun, ${formatCount(done)} items are done` : "new";
}
