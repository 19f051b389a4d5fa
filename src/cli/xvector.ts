import type { RunOptions } from "../contract/runner-options.ts";
import { describeProblem } from "../recipes/xvector/check-manifest.ts";
import { checkXVectors, type XVectorCheck } from "../recipes/xvector/check-xvectors.ts";
import { extractXVectors, isAsync, type SubmittedSplit, submitXVectors } from "../recipes/xvector/extract-xvectors.ts";
import type { XVectorConfig } from "../recipes/xvector/xvector-config.ts";
import type { XVectorSummary } from "../recipes/xvector/xvector-summary.ts";
import { shellWord } from "../text/shell-word.ts";
import { type Command, type CommandInput, exitCode, trustOf, trustOption } from "./command.ts";
import { onlyJsonOnStdout } from "./only-json.ts";
import { readConfig } from "./read-config.ts";
import { printJson } from "./status.ts";

export const xvector: Command = {
  name: "xvector",
  usage: "CONFIG [key=value …] [--check] [--restart] [--accept-change] [--trust] [--json]",
  summary: "Extracts a speaker embedding for every utterance of the manifests that a config names.",
  details:
    "The config has an `xvector:` section as in ESPnet3, and optionally `parallel:` and `runner:` beside it.\n" +
    "Started again, it continues where it was. toolkit=builtin needs no model.\n" +
    "With `async_mode: true` it starts jobs, or a process in the background, and returns.\n" +
    `Exit code ${exitCode.incomplete} if utterances failed and were skipped (runner.on_error: skip).`,
  options: {
    check: {
      type: "boolean",
      help: "check manifests and audio headers, embed one utterance, list all problems; no vectors are written",
    },
    restart: { type: "boolean", help: "delete the earlier run and start over" },
    "accept-change": {
      type: "boolean",
      help: "continue although config, manifest or model have changed since the run was started",
    },
    trust: trustOption,
    json: { type: "boolean", help: "print the result as a JSON object, and nothing else; no progress" },
  },
  examples: [
    "millrace xvector xvector.yaml --check",
    "millrace xvector xvector.yaml",
    "millrace xvector xvector.yaml xvector.spk_embed_tag=npz +xvector.output_format=npz",
  ],
  arguments: { min: 1, max: Number.POSITIVE_INFINITY },
  runsUserCode: true,
  async run(input) {
    const [path, ...overrides] = input.positionals;
    const config = await readConfig<XVectorConfig>(path!, overrides, trustOf(input));
    if (input.has("check")) return check(config, input);
    return isAsync(config) ? submit(config, input) : extract(config, input);
  },
};

async function check(config: XVectorConfig, input: CommandInput): Promise<number> {
  const found = await checkXVectors(config);
  if (input.has("json")) printJson(found);
  else process.stdout.write(describeCheck(found));
  const isGood = found.modelProblem === undefined && found.splits.every(({ problems }) => problems.length === 0);
  return isGood ? exitCode.ok : exitCode.failed;
}

async function submit(config: XVectorConfig, input: CommandInput): Promise<number> {
  const submitted = await submitXVectors(config, optionsOf(input));
  if (input.has("json")) printJson(submitted);
  else for (const split of submitted) process.stdout.write(describeSubmitted(split));
  return exitCode.ok;
}

async function extract(config: XVectorConfig, input: CommandInput): Promise<number> {
  const work = () => extractXVectors(config, optionsOf(input));
  const summaries = await (input.has("json") ? onlyJsonOnStdout(work) : work());
  if (input.has("json")) printJson(summaries);
  else for (const summary of summaries) process.stdout.write(describeSummary(summary));
  return summaries.some(({ failed }) => failed > 0) ? exitCode.incomplete : exitCode.ok;
}

function optionsOf({ has }: CommandInput): Partial<RunOptions> {
  return {
    ...(has("restart") ? { resume: false } : {}),
    ...(has("accept-change") ? { acceptChange: true } : {}),
    ...(has("json") ? { progress: false } : {}),
  };
}

function describeCheck({ splits, toolkit, model, device, dimension, modelProblem }: XVectorCheck): string {
  const lines = splits.flatMap(({ split, manifest, utterances, speakers, seconds, problems }) => [
    ...problems.map((problem) => describeProblem(manifest, problem)),
    `${split}: ${many(utterances, "utterance")} of ${many(speakers, "speaker")}, ${hours(seconds)}, ${many(problems.length, "problem")}`,
  ]);
  const length = dimension === undefined ? undefined : `a vector of ${dimension} numbers`;
  lines.push(`model: ${[toolkit, model, device, length].filter((part) => part !== undefined).join(", ")}`);
  if (modelProblem !== undefined) lines.push(`model: ${modelProblem}`);
  return `${lines.join("\n")}\n`;
}

function describeSubmitted({ split, runDir, jobs }: SubmittedSplit): string {
  const what = jobs.map(({ env, id, workers }) => `${env} ${id} with ${many(workers, "worker")}`).join(", ");
  return `${split}: ${what || "all items are done"}\n  millrace attach ${shellWord(runDir)}\n`;
}

function describeSummary(summary: XVectorSummary): string {
  const { split, written, failed, dimension, speakers, seconds, eer, vectors, report, failures } = summary;
  const rate = eer === undefined ? "" : `, EER ${(100 * eer.eer).toFixed(2)} %`;
  const lost = failed === 0 ? "" : `, ${failed} failed`;
  return [
    `${split}: ${many(written, "embedding")} of ${dimension} numbers${lost}; ${many(speakers, "speaker")}, ${hours(seconds)}${rate}`,
    `  ${vectors}`,
    ...(failures === undefined ? [] : [`  ${failures}`]),
    ...(report === undefined ? [] : [`  ${report}`]),
    "",
  ].join("\n");
}

function many(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function hours(seconds: number): string {
  return `${(seconds / 3600).toFixed(2)} h of audio`;
}
