import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { checkShape, findProjectRoot, instantiate, MillraceError, positionOf, type Shape, shape } from "../../index.ts";
import { requireTestNames } from "../inference/infer-config.ts";
import { maybe, path } from "../maybe.ts";
import { putFile } from "../put-file.ts";
import { BaseMetric } from "./base-metric.ts";
import { CER, WER } from "./error-rates.ts";

/** One metric of a config. */
interface MetricSection {
  /** A section with `_target_`: `millrace/recipes#WER`, or a class of yours that extends `BaseMetric`. */
  readonly metric: { readonly _target_: string };
  /** The lists that it reads: names of keys, or names of inputs and the keys they come from. Default: its own two keys. */
  readonly inputs?: readonly string[] | Readonly<Record<string, string>> | null | undefined;
  /** Its name in `metrics.json`. Default: its `_target_`. */
  readonly name?: string | null | undefined;
}

/** The config of {@link measure}, with ESPnet3's keys. Other sections are not read. */
export interface MeasureConfig {
  readonly inference_dir: string;
  /** The test sets. Default: every folder in `inference_dir`. */
  readonly dataset?: { readonly test?: readonly { readonly name: string }[] | null | undefined } | null | undefined;
  readonly metrics: readonly MetricSection[];
}

/** By metric, then by test set. */
export type Metrics = Record<string, Record<string, Readonly<Record<string, number>>>>;

const key = shape.string({ pattern: /^[A-Za-z0-9_-]{1,100}$/, expected: "the key of an output" });
const testSet = shape.object({ name: shape.string() }, { others: shape.any() });
const configShape = shape.object(
  {
    inference_dir: path,
    dataset: maybe(shape.object({ test: maybe(shape.list(testSet)) }, { others: shape.any() })),
    metrics: shape.list(
      shape.object({
        metric: shape.object({ _target_: shape.string() }, { others: shape.any() }),
        inputs: maybe(shape.union(shape.list(key, { min: 1 }), shape.map(key))),
        name: maybe(shape.string({ pattern: /./, expected: "a name" })),
      }),
      { min: 1 },
    ),
  },
  { others: shape.any() },
) as Shape<MeasureConfig>;

/** Computes every metric of a config for every test set, and writes them to `inference_dir/metrics.json`. */
export async function measure(config: object): Promise<Metrics> {
  const { inference_dir: folder, dataset, metrics } = checkShape(config, configShape);
  const source = positionOf(config)?.source;
  const projectRoot = source === undefined ? process.cwd() : findProjectRoot(source);
  const named = dataset?.test?.map(({ name }) => name);
  const testNames = named === undefined || named.length === 0 ? foldersIn(folder) : named;
  requireTestNames(testNames);
  const results: Metrics = {};
  for (const section of metrics) {
    const name = section.name ?? section.metric._target_;
    if (name in results) throw twice(name);
    const metric = await makeMetric(section, projectRoot);
    const inputs = inputsOf(section, metric);
    results[name] = {};
    for (const test of testNames) {
      const data = Object.fromEntries(inputs.map(([input, list]) => [input, listOf(join(folder, test), list, name)]));
      results[name][test] = checkResult(await metric.compute(data, test, folder), name, test);
    }
  }
  putFile(join(folder, "metrics.json"), `${JSON.stringify(results, undefined, 2)}\n`);
  return results;
}

function foldersIn(folder: string): string[] {
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
  if (names.length > 0) return names.sort();
  throw new MillraceError("BAD_CONFIG", `There are no test sets in ${folder}.`, {
    hint: "Run infer first, or name the test sets in dataset.test.",
  });
}

// The classes that ESPnet3's own configs name for the two metrics here.
const stockMetrics = { WER, CER };
const stockTarget = /^espnet3\.systems\.\w+\.metrics\.(?:wer\.(?=WER$)|cer\.(?=CER$))(WER|CER)$/;

async function makeMetric({ metric }: MetricSection, projectRoot: string): Promise<BaseMetric> {
  const stock = stockTarget.exec(metric._target_)?.[1] as keyof typeof stockMetrics | undefined;
  const { _target_, ...options } = metric;
  const made = stock === undefined ? await instantiate(metric, { projectRoot }) : new stockMetrics[stock](options);
  if (made instanceof BaseMetric) return made;
  throw new MillraceError("BAD_TARGET", `${metric._target_} gave no metric.`, {
    hint: "Name a class that extends BaseMetric, such as millrace/recipes#WER.",
  });
}

/** The inputs of a metric and the keys of the outputs they are read from. */
function inputsOf({ inputs, metric: { _target_ } }: MetricSection, metric: BaseMetric): (readonly [string, string])[] {
  if (Array.isArray(inputs)) return inputs.map((one: string) => [one, one] as const);
  if (inputs != null) return Object.entries(inputs as Readonly<Record<string, string>>);
  const { refKey, hypKey } = metric;
  if (refKey !== undefined && hypKey !== undefined) return [refKey, hypKey].map((one) => [one, one] as const);
  throw new MillraceError("BAD_CONFIG", `The config has no inputs for ${_target_}, which has no refKey and hypKey.`, {
    hint: "Write inputs: [hyp], or { name: key } with the keys of the outputs.",
  });
}

function listOf(folder: string, list: string, metric: string): string {
  const found = join(folder, `${list}.scp`);
  if (existsSync(found)) return found;
  throw new MillraceError("BAD_FILE", `${metric} needs ${found}, which is not there.`, {
    hint: "Write this key in the inference (output_keys), or name another one under inputs, ref_key or hyp_key.",
  });
}

function checkResult(result: Readonly<Record<string, number>>, metric: string, test: string) {
  const isObject = typeof result === "object" && result !== null && Object.keys(result).length > 0;
  if (isObject && Object.values(result).every((value) => Number.isFinite(value))) return result;
  throw new MillraceError("BAD_RECORD", `${metric} gave ${JSON.stringify(result)} for ${test}.`, {
    hint: "compute returns an object with finite numbers by name, such as { WER: 3.14 }.",
  });
}

function twice(name: string): MillraceError {
  return new MillraceError("BAD_CONFIG", `The config has two metrics named ${name}.`, {
    hint: "One would take the place of the other in metrics.json: give them a `name`.",
  });
}
