import type { RunOptions } from "../contract/runner-options.ts";
import { chooseLauncher } from "../launchers/choose-launcher.ts";
import { runPaths } from "../run-folder/files/run-paths.ts";
import { countItemsDone } from "../run-folder/run/count-items-done.ts";
import { runStatus } from "../run-folder/run/run-status.ts";
import { shellWord } from "../text/shell-word.ts";
import { type Command, type CommandInput, countOf, exitCode, trustOf, trustOption } from "./command.ts";
import { describeRun } from "./describe-run.ts";
import { detach } from "./detach.ts";
import { itemsOf } from "./items-of.ts";
import { limitItems } from "./limit-items.ts";
import { makeRunner } from "./make-runner.ts";
import { onlyJsonOnStdout } from "./only-json.ts";
import { type RunConfig, readRunConfig } from "./run-config.ts";
import { printJson } from "./status.ts";

export const run: Command = {
  name: "run",
  usage: "CONFIG [key=value …] [--detach] [--restart] [--accept-change] [--limit N] [--trust] [--json]",
  summary: "Runs what a config describes, or continues it, and merges.",
  details:
    "The config names `provider` and `runner` (with _target_ and output_dir), `items` and `parallel`; all other keys are\n" +
    "the provider's config. A run of defineRun needs no provider.\n" +
    "Overrides are Hydra's: a.b=3, +new=1, ++a=2, ~a.d, group=choice.\n" +
    `Exit code ${exitCode.incomplete} if items failed and were skipped, or the run was cancelled; ${exitCode.interrupted} after Ctrl-C.`,
  options: {
    detach: {
      type: "boolean",
      help: "run in the background, or as jobs, without this command; `millrace attach RUN` watches it",
    },
    restart: { type: "boolean", help: "delete the earlier run in the folder and start over" },
    "accept-change": {
      type: "boolean",
      help: "continue although config or code have changed since the run was started",
    },
    limit: { type: "string", value: "N", help: "only the first N items, in a separate folder (…/limit-N)" },
    trust: trustOption,
    json: { type: "boolean", help: "print the status at the end as a JSON object, and nothing else; no progress" },
  },
  examples: [
    "millrace run prep.yaml",
    "millrace run prep.yaml parallel.n_workers=1 runner.output_dir=exp/other",
    "millrace run prep.yaml --limit 20",
    "millrace run prep.yaml --restart --detach",
  ],
  arguments: { min: 1, max: Number.POSITIVE_INFINITY },
  runsUserCode: true,
  async run(input) {
    const [path, ...overrides] = input.positionals;
    const limit = countOf(run, input, "limit");
    const config = await readRunConfig(path!, overrides, { limit, trust: trustOf(input) });
    const { kind } = await chooseLauncher(config.parallel);
    // The jobs of a scheduler need no process here, not even one in the background.
    if (config.options.asyncMode || (input.has("detach") && kind === "queued")) return submit(config, input, limit);
    if (input.has("detach")) {
      const isWorker = kind === "inline";
      return detach({ runDir: config.runDir, words: argumentsOf(input), isWorker, asJson: input.has("json") });
    }
    const work = () => runToEnd(config, input, limit);
    const doneBefore = input.has("restart") ? 0 : countItemsDone(runPaths(config.runDir));
    const beganMs = performance.now();
    await (input.has("json") ? onlyJsonOnStdout(work) : work());
    const status = await runStatus(config.runDir);
    if (input.has("json")) printJson(status);
    else {
      const seconds = (performance.now() - beganMs) / 1000;
      process.stdout.write(describeRun(status, { seconds, items: status.items.done - doneBefore }));
    }
    return status.items.failed > 0 ? exitCode.incomplete : exitCode.ok;
  },
};

async function runToEnd(config: RunConfig, input: CommandInput, limit: number | undefined): Promise<void> {
  const { runner, provider } = await makeRunner(config, optionsOf(input));
  await runner.run(limitItems(await itemsOf(config, provider), limit));
}

async function submit(config: RunConfig, input: CommandInput, limit: number | undefined): Promise<number> {
  const work = async () => {
    const { runner, provider } = await makeRunner(config, optionsOf(input));
    return runner.submit(limitItems(await itemsOf(config, provider), limit));
  };
  const submitted = await onlyJsonOnStdout(work);
  if (input.has("json")) printJson(submitted);
  else process.stdout.write(`${submitted.runDir}\n`);
  for (const { env, id, tasks, workers } of submitted.jobs) {
    const many = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;
    process.stderr.write(`millrace: ${env} job ${id}: ${many(tasks, "task")}, ${many(workers, "worker")}\n`);
  }
  process.stderr.write(`millrace: millrace attach ${shellWord(submitted.runDir)} shows its progress\n`);
  return exitCode.ok;
}

function optionsOf({ has }: CommandInput): Partial<RunOptions> {
  return {
    ...(has("restart") ? { resume: false } : {}),
    ...(has("accept-change") ? { acceptChange: true } : {}),
    ...(has("json") ? { progress: false } : {}),
  };
}

/** The arguments of the same command without --detach. */
function argumentsOf({ positionals, text, has }: CommandInput): string[] {
  const flags = ["restart", "accept-change", "trust"].filter(has).map((name) => `--${name}`);
  const limit = text("limit");
  return ["run", ...flags, ...(limit === undefined ? [] : ["--limit", limit]), "--", ...positionals];
}
