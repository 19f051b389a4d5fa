import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MillraceError } from "../shared/errors.ts";
import { sleep } from "../shared/sleep.ts";
import { runPaths } from "../store/run-paths.ts";
import { runStatus } from "../store/run-status.ts";
import { badUsage, type Command, type CommandInput, exitCode } from "./command.ts";
import { limitItems } from "./limit-items.ts";
import { itemsOf, makeRunner, type RunConfig, readRunConfig } from "./run-config.ts";
import { describeRun } from "./status.ts";

export const run: Command = {
  name: "run",
  usage: "CONFIG [key=value …]",
  summary: "Runs what a config describes, or what is left of it, and merges.",
  details:
    "The config names `provider` and `runner` (with _target_ and output_dir), `items` and `parallel`; all other keys are\n" +
    "the provider's config. Overrides are Hydra's: a.b=3, +new=1, ++a=2, ~a.d, group=choice.\n" +
    `Exit code ${exitCode.incomplete} where items failed and were skipped; ${exitCode.interrupted} after Ctrl-C.`,
  options: {
    detach: { type: "boolean", help: "go on in the background; watch it with `millrace attach RUN`" },
    restart: { type: "boolean", help: "delete what an earlier run left in the folder and start over" },
    "accept-change": { type: "boolean", help: "go on although the config has changed since the run was begun" },
    limit: { type: "string", value: "N", help: "only the first N items, in a folder of their own (…/limit-N)" },
    json: { type: "boolean", help: "print the status at the end as a JSON object; no progress" },
  },
  examples: [
    "millrace run prep.yaml",
    "millrace run prep.yaml parallel.n_workers=1 runner.output_dir=exp/other",
    "millrace run prep.yaml --limit 20",
    "millrace run prep.yaml --restart --detach",
  ],
  arguments: { least: 1, most: Number.POSITIVE_INFINITY },
  async run(input) {
    const [path, ...overrides] = input.positionals;
    const config = withLimit(await readRunConfig(path!, overrides), input);
    const runDir = join(config.outputDir, config.options.shardSubdir ?? "");
    if (input.has("detach")) return detach(runDir, input);
    const { runner, provider } = await makeRunner(config, {
      ...(input.has("restart") ? { resume: false } : {}),
      ...(input.has("accept-change") ? { acceptChange: true } : {}),
      ...(input.has("json") ? { progress: false } : {}),
    });
    const items = await itemsOf(config, provider);
    await runner.run(limitItems(items, limitOf(input)));
    const status = await runStatus(runDir);
    process.stdout.write(input.has("json") ? `${JSON.stringify(status)}\n` : describeRun(status));
    return status.items.failed > 0 ? exitCode.incomplete : exitCode.ok;
  },
};

function limitOf({ text }: CommandInput): number | undefined {
  const limit = text("limit");
  if (limit === undefined) return undefined;
  if (!/^[1-9]\d*$/.test(limit))
    throw badUsage(run, `--limit is ${JSON.stringify(limit)}; a whole number was expected`);
  return Number(limit);
}

/** A part of the items is another run: it gets a folder of its own. */
function withLimit(config: RunConfig, input: CommandInput): RunConfig {
  const limit = limitOf(input);
  if (limit === undefined) return config;
  const outputDir = join(config.outputDir, `limit-${limit}`);
  return { ...config, outputDir, options: { ...config.options, outputDir } };
}

const patienceMs = 30_000;
const lookEveryMs = 100;

/** Starts the same command without `--detach` in the background, and waits until the run is on its way. */
async function detach(runDir: string, { positionals }: CommandInput): Promise<number> {
  const paths = runPaths(runDir);
  mkdirSync(paths.logs, { recursive: true });
  const log = paths.log("driver");
  const fd = openSync(log, "a");
  const flags = process.argv
    .slice(2)
    .filter((word) => word !== "run" && word !== "--detach" && !positionals.includes(word));
  const words = [process.argv[1]!, "run", ...positionals, ...flags];
  const child = spawn(process.execPath, words, { detached: true, stdio: ["ignore", fd, fd] });
  closeSync(fd);
  let ended: number | undefined;
  child.once("exit", (code) => {
    ended = code ?? exitCode.failed;
  });
  for (let waited = 0; waited < patienceMs && ended === undefined; waited += lookEveryMs) {
    if (existsSync(paths.spec)) break;
    await sleep(lookEveryMs);
  }
  if (ended !== undefined && ended !== exitCode.ok && ended !== exitCode.incomplete) {
    throw new MillraceError("RUN_STOPPED", `The run did not start:\n${readFileSync(log, "utf8").trim()}`);
  }
  child.unref();
  process.stdout.write(`${runDir}\n`);
  process.stderr.write(`millrace: process ${child.pid} runs it; millrace attach ${runDir} shows how it goes\n`);
  return exitCode.ok;
}
