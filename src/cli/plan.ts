import { describeCodeChange, type OnCodeChange, verdictOn } from "../code/compare-code.ts";
import { findChange } from "../code/find-change.ts";
import { projectIn } from "../config/project-of.ts";
import { formatCount } from "../drive/progress-line.ts";
import { chooseLauncher } from "../launchers/choose-launcher.ts";
import { collectItems } from "../plan/collect-items.ts";
import type { ItemList } from "../plan/item-list.ts";
import { makePlan } from "../plan/make-plan.ts";
import { captureProvider } from "../provider/capture-provider.ts";
import { codeOf } from "../runner/code-of.ts";
import type { RunnerOptions } from "../runner/runner-options.ts";
import { type ClassStatics, identityOf } from "../runner/runner-traits.ts";
import { codeThatMadeItems } from "../store/code-versions.ts";
import { countItemsDone } from "../store/count-items-done.ts";
import { compareFingerprints, makeFingerprint } from "../store/fingerprint.ts";
import { type Manifest, readManifest } from "../store/manifest.ts";
import { type RunPaths, runPaths } from "../store/run-paths.ts";
import { isComplete as isStateComplete, runStatus } from "../store/run-status.ts";
import { type Command, countOf, exitCode } from "./command.ts";
import { limitItems } from "./limit-items.ts";
import { onlyJsonOnStdout } from "./only-json.ts";
import { type AnyRunner, itemsOf, makeRunner, type RunConfig, readRunConfig } from "./run-config.ts";
import { printJson } from "./status.ts";

export const plan: Command = {
  name: "plan",
  usage: "CONFIG [key=value …] [--limit N] [--json]",
  summary:
    "Shows what `millrace run` would do with a config: items, shards, batches, workers. Nothing is started or written.",
  options: {
    limit: { type: "string", value: "N", help: "only the first N items, as `millrace run --limit N` would run them" },
    json: { type: "boolean", help: "as a JSON object" },
  },
  examples: ["millrace plan prep.yaml", "millrace plan prep.yaml +runner.batch_size=20 --json"],
  arguments: { least: 1, most: Number.POSITIVE_INFINITY },
  runsUserCode: true,
  async run(input) {
    const [path, ...overrides] = input.positionals;
    const limit = countOf(plan, input, "limit");
    const config = await readRunConfig(path!, overrides, limit);
    const summary = await onlyJsonOnStdout(() => summarize(config, limit));
    if (input.has("json")) printJson(summary);
    else process.stdout.write(describe(summary));
    return exitCode.ok;
  },
};

interface Summary {
  readonly runDir: string;
  /** Whether the folder holds a run already, and what of it is done. */
  readonly isBegun: boolean;
  /** Whether all of it is done and merged, and nothing has changed: then `run` starts nothing. */
  readonly isComplete: boolean;
  readonly done: number;
  /** In what it differs from the run that was begun: then `run` refuses it. */
  readonly changed: readonly string[];
  /** In what the code differs from the code that made the outputs, and what `run` does about it. */
  readonly code: { readonly changed: readonly string[]; readonly verdict: OnCodeChange } | null;
  readonly items: number;
  readonly shards: number;
  readonly batches: number | undefined;
  readonly env: string;
  readonly workers: number;
  /** What a scheduler, or ssh, would be given; null where workers are started without one. */
  readonly jobScript: string | null;
  /** How many jobs each submission would hold; the script is that of the first. */
  readonly submissions: readonly number[];
}

async function summarize(config: RunConfig, limit: number | undefined): Promise<Summary> {
  const { parallel, runDir, options } = config;
  const launcher = await chooseLauncher(parallel);
  launcher.check(parallel);
  const { provider, runner } = await makeRunner(config);
  const items = await collectItems(limitItems(await itemsOf(config, provider), limit));
  const begun = readManifest(runPaths(runDir));
  const batchSize = options.batchSize ?? undefined;
  const { shardCount } =
    begun?.plan ?? makePlan(items, { shards: options.shards, batchSize, workers: parallel.nWorkers });
  const status = begun === undefined ? undefined : await runStatus(runDir);
  const changed = begun === undefined ? [] : changes(begun.fingerprint, runner, items);
  const code = begun === undefined ? null : await codeChanges(runPaths(runDir), begun, runner, options);
  const isComplete = status !== undefined && isStateComplete(status.state) && changed.length === 0 && code === null;
  const job = isComplete ? undefined : launcher.describe?.({ runDir, parallel, pending: shardCount });
  return {
    runDir,
    isBegun: begun !== undefined,
    isComplete,
    done: status?.items.done ?? 0,
    changed,
    code,
    items: items.count,
    shards: shardCount,
    batches: options.batchBy !== undefined ? undefined : Math.ceil(items.count / (batchSize ?? 1)),
    env: parallel.env,
    workers: launcher.startsWorkers ? Math.min(parallel.nWorkers, shardCount) : 1,
    jobScript: job?.text ?? null,
    submissions: job?.tasks ?? [],
  };
}

function changes(before: Parameters<typeof compareFingerprints>[0], runner: AnyRunner, items: ItemList): string[] {
  const { provider } = runner;
  const { config, params } = provider;
  const identity = {
    runner: identityOf(classOf(runner)),
    provider: identityOf(classOf(provider)),
    config,
    params,
    fields: captureProvider(provider).identity,
    options: ownOptionsOf(runner),
    items,
  };
  return compareFingerprints(before, makeFingerprint(identity)).map(({ key }) => key);
}

async function codeChanges(
  paths: RunPaths,
  { code }: Manifest,
  runner: AnyRunner,
  { onCodeChange, acceptChange }: RunnerOptions,
): Promise<Summary["code"]> {
  const { config, params } = runner.provider;
  const values = [config, params];
  const source = codeOf(classOf(runner), classOf(runner.provider), {
    values,
    project: projectIn(values),
    isKept: true,
  });
  const itemsDone = countItemsDone(paths);
  const newest = codeThatMadeItems(code, itemsDone).at(-1);
  const isCompared = newest !== undefined && source !== undefined && itemsDone > 0;
  const change = isCompared ? await findChange(newest, source) : undefined;
  if (change === undefined) return null;
  return { changed: describeCodeChange(change), verdict: acceptChange ? "accept" : verdictOn(change, onCodeChange) };
}

// Protected, so that users do not take it for a way to change them.
function ownOptionsOf(runner: AnyRunner): object {
  return (runner as unknown as { readonly ownOptions?: object }).ownOptions ?? {};
}

function classOf(made: object): ClassStatics {
  return made.constructor as unknown as ClassStatics;
}

function describeSubmissions(env: string, [first = 0, ...others]: readonly number[]): string {
  if (env === "ssh") return "as follows, started by this command";
  if (others.length === 0) return "as follows";
  const more = others.reduce((sum, tasks) => sum + tasks, 0);
  return `as follows, and ${formatCount(others.length)} more like it: an array holds ${formatCount(first)} jobs at most, and ${formatCount(more)} ${more === 1 ? "is" : "are"} left`;
}

function describe(summary: Summary): string {
  const { runDir, isBegun, isComplete, changed, code, items, shards, batches, env, workers, jobScript, submissions } =
    summary;
  return [
    `${runDir}: ${standing(summary)}`,
    `  items    ${formatCount(items)}${batches === undefined ? ", in batches by their cost" : ` in ${formatCount(batches)} batches`}`,
    `  shards   ${formatCount(shards)}${isBegun ? ", as they were planned when the run was begun" : ""}`,
    `  workers  ${formatCount(workers)} (${env})`,
    `  job      ${jobScript === null ? `none: ${isComplete ? "nothing is left" : "the workers are started by this command"}` : describeSubmissions(env, submissions)}`,
    ...(changed.length === 0
      ? []
      : [
          `  changed  ${changed.slice(0, 5).join(", ")}${changed.length > 5 ? ", …" : ""}: \`millrace run\` refuses this`,
          `           ${changed.includes("items") ? "without --restart" : "without --accept-change or --restart"}`,
        ]),
    ...(code === null ? [] : [`  code     ${code.changed.slice(0, 5).join(", ")}: ${onCode[code.verdict]}`]),
    ...(jobScript === null ? [""] : ["", jobScript]),
  ].join("\n");
}

const onCode = {
  refuse: "`millrace run` refuses this without --accept-change or --restart",
  warn: "`millrace run` says so and goes on",
  accept: "`millrace run` goes on",
} as const;

function standing({ isBegun, isComplete, done }: Summary): string {
  if (isComplete) return `complete, all ${formatCount(done)} items are done: nothing is left`;
  return isBegun ? `begun, ${formatCount(done)} items are done` : "new";
}
