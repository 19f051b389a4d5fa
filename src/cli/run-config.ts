import { resolve } from "node:path";
import { checkShape } from "../config/check-shape.ts";
import { findProjectRoot } from "../config/find-project-root.ts";
import { instantiate } from "../config/instantiate.ts";
import { loadConfig } from "../config/load-config.ts";
import { locateTarget } from "../config/locate-target.ts";
import { checkParallel, type ParallelConfig, type ParallelInput } from "../config/parallel.ts";
import { type Shape, shape } from "../config/shape.ts";
import { importModule } from "../join/import-module.ts";
import type { Items } from "../plan/collect-items.ts";
import { range } from "../plan/range.ts";
import type { EnvironmentProvider } from "../provider/environment-provider.ts";
import type { BaseRunner } from "../runner/base-runner.ts";
import type { RunnerOptions } from "../runner/runner-options.ts";
import { MillraceError } from "../shared/errors.ts";
import { describeKind } from "../shared/state-json.ts";

const target = shape.object({ _target_: shape.string() }, { others: shape.any() });
const whole = shape.int({ min: 0 });

interface TargetSection {
  readonly _target_: string;
}

/** What `millrace run` reads from a config; every other key is the provider's. */
interface RunSections {
  readonly provider: TargetSection & { readonly params?: Readonly<Record<string, unknown>> | null | undefined };
  readonly runner: TargetSection & { readonly output_dir: string };
  readonly items?:
    | number
    | readonly number[]
    | { readonly start?: number | undefined; readonly stop: number; readonly step?: number | undefined }
    | TargetSection
    | undefined;
  readonly parallel?:
    | {
        readonly env?: string | undefined;
        readonly n_workers?: number | undefined;
        readonly options?: Readonly<Record<string, unknown>> | null | undefined;
      }
    | null
    | undefined;
}

const runShape: Shape<RunSections> = shape.object(
  {
    provider: shape.object(
      { _target_: shape.string(), params: shape.optional(shape.nullable(shape.map(shape.any()))) },
      { others: shape.any() },
    ),
    runner: shape.object({ _target_: shape.string(), output_dir: shape.string() }, { others: shape.any() }),
    items: shape.optional(
      shape.union(
        whole,
        shape.list(whole),
        shape.object({ start: shape.optional(whole), stop: whole, step: shape.optional(shape.int()) }),
        target,
      ),
    ),
    parallel: shape.optional(
      shape.nullable(
        shape.object({
          env: shape.optional(shape.string()),
          n_workers: shape.optional(shape.int({ min: 1 })),
          options: shape.optional(shape.nullable(shape.map(shape.any()))),
        }),
      ),
    ),
  },
  { others: shape.any() },
);

/** A config that describes a run, checked, with nothing made of it yet. */
export interface RunConfig {
  readonly path: string;
  readonly sections: RunSections;
  readonly outputDir: string;
  readonly options: RunnerOptions;
  readonly parallel: ParallelConfig;
}

type AnyRunner = BaseRunner<object, unknown, unknown>;

/** Reads and checks the config of a run. */
export async function readRunConfig(path: string, overrides: readonly string[]): Promise<RunConfig> {
  const sections = checkShape(await loadConfig(path, overrides), runShape, path);
  const { _target_, ...options } = { ...sections.runner } as Record<string, unknown>;
  const { env, n_workers, options: parallelOptions } = sections.parallel ?? {};
  const parallel = checkParallel({
    ...(env === undefined ? {} : { env }),
    ...(n_workers === undefined ? {} : { n_workers }),
    options: parallelOptions ?? {},
  } as ParallelInput);
  const outputDir = resolve(sections.runner.output_dir);
  return { path, sections, outputDir, options: { ...camelCased(options), outputDir, parallel }, parallel };
}

/** Makes the provider and the runner that a config describes. */
export async function makeRunner(
  { path, sections, options }: RunConfig,
  changed: RunnerOptions = {},
): Promise<{ readonly runner: AnyRunner; readonly provider: EnvironmentProvider<object> }> {
  const { provider: providerSection, runner: runnerSection } = sections;
  const { _target_, params, ...more } = { ...providerSection } as Record<string, unknown>;
  const providerArgs = [ownSections(sections), { ...more, ...(params as object | null) }];
  const provider = await make<EnvironmentProvider<object>>(providerSection, providerArgs, path);
  const runner = await make<AnyRunner>(runnerSection, [provider, { ...options, ...changed }], path);
  if (typeof runner.run !== "function") {
    throw new MillraceError("BAD_RUNNER", `${runnerSection._target_} is not a runner: it has no run().`, {
      hint: "Name a class that extends BaseRunner in runner._target_.",
    });
  }
  return { runner, provider };
}

async function make<T extends object>(
  section: { _target_: string },
  args: readonly unknown[],
  path: string,
): Promise<T> {
  const projectRoot = findProjectRoot(path);
  const made = await instantiate<T>(section, { projectRoot, importModule, args });
  // Workers find the class as this command did, also where it does not say itself where it is.
  if (!Object.hasOwn(made.constructor, "module"))
    Object.defineProperty(made.constructor, "module", { value: locateTarget(section._target_, projectRoot).url });
  return made;
}

/** The items that a config names; without any, all of the dataset that the provider builds. */
export async function itemsOf({ path, sections }: RunConfig, provider: EnvironmentProvider<object>): Promise<Items> {
  const { items } = sections;
  if (items === undefined) return range(await datasetLength(provider));
  if (typeof items === "number") return range(items);
  if (Array.isArray(items)) return items as number[];
  const section = items as { _target_?: string; start?: number; stop?: number; step?: number };
  if (section._target_ === undefined) return range(section.start ?? 0, section.stop!, section.step ?? 1);
  const made = await instantiate<unknown>(section, { projectRoot: findProjectRoot(path), importModule });
  return typeof made === "number" ? range(made) : (made as Items);
}

async function datasetLength(provider: EnvironmentProvider<object>): Promise<number> {
  const env = await provider.buildEnvLocal();
  const { length } = ((env as { dataset?: unknown }).dataset ?? {}) as { length?: unknown };
  await provider.teardown(env);
  if (Number.isSafeInteger(length)) return length as number;
  throw new MillraceError(
    "BAD_CONFIG",
    "The config has no `items`, and the provider builds no dataset with a length.",
    {
      hint: `Write \`items: 1000\`, a list, or { start, stop, step }. The length of \`dataset\` is ${describeKind(length)}.`,
    },
  );
}

const runSections = ["provider", "runner", "items", "parallel", "defaults", "hydra"];

/** What the provider gets as its config: how the run is carried out does not belong to what it is. */
function ownSections(sections: RunSections): object {
  return Object.fromEntries(Object.entries(sections).filter(([key]) => !runSections.includes(key)));
}

function camelCased(options: Readonly<Record<string, unknown>>): RunnerOptions {
  return Object.fromEntries(
    Object.entries(options).map(([key, value]) => [
      key.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()),
      value,
    ]),
  ) as RunnerOptions;
}
