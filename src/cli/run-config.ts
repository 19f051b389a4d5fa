import { join, resolve } from "node:path";
import { checkShape } from "../config/check-shape.ts";
import { showPosition } from "../config/config-error.ts";
import { findProjectRoot } from "../config/find-project-root.ts";
import { instantiate } from "../config/instantiate.ts";
import { locateTarget } from "../config/locate-target.ts";
import { checkParallel, type ParallelConfig, type ParallelInput } from "../config/parallel.ts";
import { positionOf, positionOfChild, rememberPositions } from "../config/position-of.ts";
import type { Items } from "../plan/collect-items.ts";
import { range } from "../plan/range.ts";
import { noteBuiltFields } from "../provider/built-fields.ts";
import type { BaseRunner } from "../runner/base-runner.ts";
import type { OwnOptions } from "../runner/own-options.ts";
import type { RunnerOptions } from "../runner/runner-options.ts";
import { MillraceError, messageOf } from "../shared/errors.ts";
import { importModule } from "../shared/import-module.ts";
import { describeKind } from "../shared/state-json.ts";
import { readConfig } from "./read-config.ts";
import {
  camelCased,
  type RunSections,
  runnerOptionNames,
  runSectionNames,
  runShape,
  runShapeWith,
} from "./run-shape.ts";
import { tellMisspeltSections } from "./tell-misspelt-sections.ts";

/** A config that describes a run, checked, with nothing made of it yet. */
export interface RunConfig {
  readonly path: string;
  readonly sections: RunSections;
  readonly outputDir: string;
  /** The folder of the run: below `outputDir` where there is a `shard_subdir`. */
  readonly runDir: string;
  readonly options: RunnerOptions;
  readonly parallel: ParallelConfig;
}

export type AnyRunner = BaseRunner<object, unknown, unknown>;
type AnyProvider = AnyRunner["provider"];

/** Reads and checks the config of a run. With a limit it is another run, in a folder of its own. */
export async function readRunConfig(path: string, overrides: readonly string[], limit?: number): Promise<RunConfig> {
  const sections = checkShape(await readConfig(path, overrides), runShape, path);
  tellMisspeltSections(sections, path);
  const { output_dir } = sections.runner;
  const { env, n_workers, options: parallelOptions } = sections.parallel ?? {};
  const parallel = checkParallel({
    ...(env == null ? {} : { env }),
    ...(n_workers == null ? {} : { n_workers }),
    options: parallelOptions ?? noOptions(sections),
  } as ParallelInput);
  const outputDir = resolve(output_dir, limit === undefined ? "" : `limit-${limit}`);
  const common = Object.entries(sections.runner).filter(([key]) => runnerOptionNames.includes(key));
  const runnerOptions: RunnerOptions = { ...camelCased(Object.fromEntries(common)), outputDir, parallel };
  return {
    path,
    sections,
    outputDir,
    runDir: join(outputDir, runnerOptions.shardSubdir ?? ""),
    options: runnerOptions,
    parallel,
  };
}

/** What an env misses among options that are left out has the place of the section they would stand in. */
function noOptions(sections: RunSections): object {
  const options = {};
  const place = positionOf(sections, ["parallel"]);
  if (place !== undefined) rememberPositions(options, place, new Map());
  return options;
}

/** Makes the provider and the runner that a config describes. */
export async function makeRunner(
  { path, sections, options }: RunConfig,
  changed: RunnerOptions = {},
): Promise<{ readonly runner: AnyRunner; readonly provider: AnyProvider }> {
  const own = await ownOptionsOf(sections, path);
  const { _target_: providerTarget, params, ...more } = sections.provider;
  const providerArgs = [ownSections(sections), { ...more, ...params }];
  const provider = await make<AnyProvider>(sections.provider, providerArgs, path);
  if (typeof provider?.buildEnvLocal !== "function") {
    throw new MillraceError(
      "BAD_TARGET",
      `${placeOfTarget(sections.provider, path)}: ${providerTarget} gave ${describeKind(provider)}, not a provider.`,
      {
        hint: "Name a class that extends EnvironmentProvider or InferenceProvider in provider._target_.",
      },
    );
  }
  tellWorkers(provider, providerTarget, path);
  const { _target_: runnerTarget } = sections.runner;
  const runner = await make<AnyRunner>(sections.runner, [provider, { ...own, ...options, ...changed }], path);
  if (typeof runner?.run !== "function") {
    throw new MillraceError(
      "BAD_TARGET",
      `${placeOfTarget(sections.runner, path)}: ${runnerTarget} gave ${describeKind(runner)}, not a runner.`,
      {
        hint: "Name a class that extends BaseRunner in runner._target_.",
      },
    );
  }
  tellWorkers(runner, runnerTarget, path);
  return { runner, provider };
}

/** The options that the runner's class adds, once it is known which these are. */
async function ownOptionsOf(sections: RunSections, path: string): Promise<object> {
  const declared = await declaredOptions(sections.runner._target_, path);
  // Whoever makes the runner says what is wrong with its target.
  if (declared === undefined) return {};
  checkShape(sections, runShapeWith(declared), path);
  const isOwn = (key: string) => key !== "_target_" && key !== "output_dir" && !runnerOptionNames.includes(key);
  const own = Object.entries(sections.runner).filter(([key]) => isOwn(key));
  return camelCased(Object.fromEntries(own), declared);
}

async function declaredOptions(target: string, path: string): Promise<OwnOptions | undefined> {
  try {
    const { url, exportPath } = locateTarget(target, findProjectRoot(path));
    let found: unknown = await importModule(url);
    for (const name of exportPath) found = (found as Record<string, unknown>)[name];
    return (found as { ownOptions?: OwnOptions }).ownOptions ?? {};
  } catch {
    return undefined;
  }
}

/** Makes one section. Its keys are arguments of the class and stay data: what they describe is made in the workers. */
function make<T>(section: { readonly _target_: string }, args: readonly unknown[], path: string): Promise<T> {
  const target = { _target_: section._target_ };
  const [own, place] = [positionOf(section), positionOfChild(section, "_target_")];
  if (own !== undefined && place !== undefined) rememberPositions(target, own, new Map([["_target_", place]]));
  return instantiate<T>(target, { projectRoot: findProjectRoot(path), args });
}

function placeOfTarget(section: { readonly _target_: string }, path: string): string {
  return showPosition(positionOf(section, ["_target_"]) ?? { source: path });
}

/** Workers find the class as this command did, also where it does not say itself where it is. */
function tellWorkers(made: object, target: string, path: string): void {
  if (Object.hasOwn(made.constructor, "module")) return;
  Object.defineProperty(made.constructor, "module", { value: locateTarget(target, findProjectRoot(path)).url });
}

/** The items that a config names; without any, all of the dataset that the provider builds. */
export async function itemsOf({ path, sections }: RunConfig, provider: AnyProvider): Promise<Items> {
  const { items } = sections;
  if (items == null) return range(await datasetLength(provider));
  if (typeof items === "number") return range(items);
  if (Array.isArray(items)) return items as number[];
  const section = items as { _target_?: string; start?: number; stop?: number; step?: number };
  if (section._target_ === undefined) return range(section.start ?? 0, section.stop!, section.step ?? 1);
  const made = await instantiate<unknown>(section, { projectRoot: findProjectRoot(path) });
  return typeof made === "number" ? range(made) : (made as Items);
}

async function datasetLength(provider: AnyProvider): Promise<number> {
  let length: unknown;
  try {
    length = await lengthOf(provider);
  } catch (cause) {
    throw new MillraceError(
      "ENV_FAILED",
      `${provider.constructor.name} could not build the dataset: ${messageOf(cause)}`,
      { cause, hint: "Without `items` in the config the dataset is built to know how long it is." },
    );
  }
  if (Number.isSafeInteger(length)) return length as number;
  throw new MillraceError(
    "BAD_CONFIG",
    "The config has no `items`, and the provider builds no dataset with a length.",
    {
      hint: `Write \`items: 1000\`, a list, or { start, stop, step }. The length of \`dataset\` is ${describeKind(length)}.`,
    },
  );
}

async function lengthOf(provider: AnyProvider): Promise<unknown> {
  const { buildDataset } = provider.constructor as { buildDataset?: (config: unknown) => unknown };
  // The model of an inference provider is not needed for that, and may be large.
  const isInference = ownerOf(provider, "buildEnvLocal")?.constructor.name === "InferenceProvider";
  if (isInference && typeof buildDataset === "function")
    return lengthIn(await buildDataset.call(provider.constructor, provider.config));
  const env = await noteBuiltFields(provider, () => provider.buildEnvLocal());
  const length = lengthIn((env as { dataset?: unknown }).dataset);
  await provider.teardown(env);
  return length;
}

function lengthIn(dataset: unknown): unknown {
  return (dataset as { length?: unknown } | null | undefined)?.length;
}

/** The prototype that has a method itself. */
function ownerOf(object: object, method: string): object | undefined {
  let owner: object | null = object;
  while (owner !== null && !Object.hasOwn(owner, method)) owner = Object.getPrototypeOf(owner) as object | null;
  return owner ?? undefined;
}

/** What the provider gets as its config: how the run is carried out does not belong to what it is. */
function ownSections(sections: RunSections): object {
  return Object.fromEntries(Object.entries(sections).filter(([key]) => !runSectionNames.includes(key)));
}
