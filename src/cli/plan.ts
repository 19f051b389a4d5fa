import { join } from "node:path";
import { formatCount } from "../drive/progress-line.ts";
import { chooseLauncher } from "../launchers/choose-launcher.ts";
import { collectItems } from "../plan/collect-items.ts";
import { makePlan } from "../plan/make-plan.ts";
import { readManifest } from "../store/manifest.ts";
import { runPaths } from "../store/run-paths.ts";
import { runStatus } from "../store/run-status.ts";
import { type Command, exitCode } from "./command.ts";
import { itemsOf, makeRunner, readRunConfig } from "./run-config.ts";

export const plan: Command = {
  name: "plan",
  usage: "CONFIG [key=value …]",
  summary:
    "Shows what `millrace run` would do with a config: items, shards, batches, workers. Nothing is started or written.",
  options: { json: { type: "boolean", help: "as a JSON object" } },
  examples: ["millrace plan prep.yaml", "millrace plan prep.yaml runner.batch_size=20 --json"],
  arguments: { least: 1, most: Number.POSITIVE_INFINITY },
  async run({ positionals: [path, ...overrides], has }) {
    const config = await readRunConfig(path!, overrides);
    const { env, nWorkers } = config.parallel;
    const launcher = chooseLauncher(config.parallel);
    launcher.check(config.parallel);
    const { provider } = await makeRunner(config);
    const items = await collectItems(await itemsOf(config, provider));
    const runDir = join(config.outputDir, config.options.shardSubdir ?? "");
    const begun = readManifest(runPaths(runDir));
    const batchSize = config.options.batchSize ?? undefined;
    const { shardCount } =
      begun?.plan ?? makePlan(items, { shards: config.options.shards, batchSize, workers: nWorkers });
    const summary = {
      runDir,
      items: items.count,
      shards: shardCount,
      batches: batchSize === undefined ? undefined : Math.ceil(items.count / batchSize),
      env,
      workers: launcher.startsWorkers ? Math.min(nWorkers, shardCount) : 1,
      done: begun === undefined ? 0 : (await runStatus(runDir)).items.done,
    };
    process.stdout.write(has("json") ? `${JSON.stringify(summary)}\n` : describe(summary, begun !== undefined));
    return exitCode.ok;
  },
};

interface Summary {
  readonly runDir: string;
  readonly items: number;
  readonly shards: number;
  readonly batches: number | undefined;
  readonly env: string;
  readonly workers: number;
  readonly done: number;
}

function describe({ runDir, items, shards, batches, env, workers, done }: Summary, isBegun: boolean): string {
  return [
    `${runDir}: ${isBegun ? `begun, ${formatCount(done)} items are done` : "new"}`,
    `  items    ${formatCount(items)}${batches === undefined ? "" : ` in ${formatCount(batches)} batches`}`,
    `  shards   ${formatCount(shards)}${isBegun ? ", as they were planned when the run was begun" : ""}`,
    `  workers  ${workers} (${env})`,
    "",
  ].join("\n");
}
