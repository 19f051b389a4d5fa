import { toShape } from "../config/check-value.ts";
import { parallelEnvs } from "../config/parallel-envs.ts";
import { type Shape, shape } from "../config/shape.ts";
import type { OwnOptions } from "../contract/class-options.ts";
import type { GivenOptions } from "../contract/runner-options.ts";
import { copyOrigins } from "../secrets/origins.ts";
import { toCamelCase, toSnakeCase } from "../text/letter-case.ts";

type Section = Readonly<Record<string, unknown>>;

export interface TargetSection extends Section {
  readonly _target_: string;
}

/** The keys of a config that `millrace run` reads. All others belong to the provider. */
export interface RunSections {
  /** Without a `_target_`, or left out, if the runner is a run of `defineRun`. */
  readonly provider?:
    | { readonly _target_?: string | undefined; readonly params?: Section | null | undefined }
    | null
    | undefined;
  readonly runner: TargetSection & { readonly output_dir: string } & Section;
  readonly items?:
    | number
    | readonly number[]
    | { readonly start?: number | undefined; readonly stop: number; readonly step?: number | undefined }
    | TargetSection
    | null
    | undefined;
  readonly parallel?:
    | {
        readonly env?: string | null | undefined;
        readonly n_workers?: number | null | undefined;
        readonly options?: Section | null | undefined;
      }
    | null
    | undefined;
}

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Uppercase<First> ? `_${Lowercase<First>}` : First}${SnakeCase<Rest>}`
  : "";

// Without the options that a config cannot have, or has in another section.
type ConfigOption = Exclude<keyof GivenOptions, "signal" | "parallel" | "outputDir">;

/** A key that may be missing or `null`, as Hydra's users write it. */
function maybe<T>(inner: Shape<T>): Shape<T | null | undefined> {
  const { expected } = inner;
  return { expected, isOptional: true, check: (value, path) => (value == null ? [] : inner.check(value, path)) };
}

const whole = shape.int({ min: 0 });
const path = shape.string({ pattern: /^[^\0]+$/, expected: "a path" });
const innerPath = shape.string({
  pattern: /^(?![/\\])(?!(?:.*[/\\])?\.\.(?:[/\\]|$))[^\0]*$/,
  expected: "a relative path that stays inside output_dir",
});

/** Any keys, except those that configure how a target is made: that is fixed here. */
const providerKeys: Shape<unknown> = {
  ...shape.any(),
  check: (_value, keys) =>
    /^_\w+_$/.test(String(keys.at(-1)))
      ? [{ path: keys, message: "has no meaning here", hint: "The provider is made with its config and its params." }]
      : [],
};

/** The options of a runner, by their names in a config. */
const runnerOptions = {
  batch_size: maybe(shape.int({ min: 1 })),
  batch_by: maybe(shape.object({ cost: shape.oneOf(["sum", "padded"]), max: shape.number({ min: 0 }) })),
  shard_subdir: maybe(innerPath),
  resume: maybe(shape.boolean()),
  accept_change: maybe(shape.boolean()),
  on_code_change: maybe(shape.oneOf(["refuse", "warn", "accept"])),
  shards: maybe(shape.int({ min: 1 })),
  on_error: maybe(shape.oneOf(["fail", "skip"])),
  retries: maybe(whole),
  retry_delay: maybe(shape.number({ min: 0 })),
  max_retry_delay: maybe(shape.number({ min: 0 })),
  concurrency: maybe(shape.int({ min: 1, max: 4096 })),
  max_waiting_bytes: maybe(shape.number({ min: 1 })),
  rate_limit: maybe(
    shape.object({
      per_second: shape.number({ min: Number.MIN_VALUE, max: 100_000 }),
      burst: maybe(shape.number({ min: 1 })),
      adaptive: maybe(shape.boolean()),
    }),
  ),
  prefetch_items: maybe(shape.int({ min: 1 })),
  prefetch_bytes: maybe(shape.number({ min: 1 })),
  max_failures: maybe(shape.number({ min: 0 })),
  item_timeout: maybe(shape.number({ min: 1 })),
  max_rss: maybe(shape.number({ min: 1 })),
  checkpoint_interval: maybe(shape.number({ min: 0 })),
  non_finite: maybe(shape.oneOf(["refuse", "null"])),
  lease_ttl: maybe(shape.number({ min: 100 })),
  merge_files: maybe(shape.boolean()),
  spec_access: maybe(shape.oneOf(["owner", "group"])),
  progress: maybe(shape.boolean()),
  async_mode: maybe(shape.boolean()),
  async_specs_dir: maybe(path),
  async_result_dir: maybe(path),
} satisfies Record<SnakeCase<ConfigOption>, Shape<unknown>>;

/** Their names. */
export const runnerOptionNames: readonly string[] = Object.keys(runnerOptions);

const items = {
  ...shape.union(
    whole,
    shape.list(whole),
    shape.object({ start: shape.optional(whole), stop: whole, step: shape.optional(shape.int()) }),
    shape.object({ _target_: shape.string() }, { others: shape.any() }),
  ),
  expected: "a whole number from 0, a list of them, { start, stop, step } or a _target_ that gives one",
};

const parallelKeys = {
  env: maybe(shape.oneOf(parallelEnvs)),
  n_workers: maybe(shape.int({ min: 1 })),
  options: maybe(shape.map(shape.any())),
  allow_overwrite_lock: maybe(shape.boolean()),
};

/** The keys of `parallel`. */
export const parallelKeyNames: readonly string[] = Object.keys(parallelKeys);

/** The top-level keys that are not part of the provider's config. */
export const runSectionNames: readonly string[] = ["provider", "runner", "items", "parallel", "defaults", "hydra"];

const params = maybe(shape.map(shape.any()));

/** The shape of a config that describes a run. */
export const runShape: Shape<RunSections> = shape.object(
  {
    provider: maybe(shape.object({ _target_: shape.optional(shape.string()), params }, { others: providerKeys })),
    // The class decides which other keys exist, and whether it needs a provider: see `runShapeWith`.
    runner: shape.object({ _target_: shape.string(), output_dir: path, ...runnerOptions }, { others: shape.any() }),
    items: maybe(items),
    parallel: maybe(shape.object(parallelKeys)),
  },
  { others: shape.any() },
);

const providerShape = shape.object({ _target_: shape.string() }, { others: shape.any() });

/** The same with the own options of a runner, and with a provider unless the runner builds its own env. */
export function runShapeWith(ownOptions: OwnOptions, { hasEnv = false }: { hasEnv?: boolean } = {}): Shape<unknown> {
  const own = Object.entries(ownOptions).map(([key, { shape: declared, default: usual }]) => {
    const inner = toShape(declared);
    const isLeftOut = inner.isOptional || usual !== undefined;
    return [toSnakeCase(key), isLeftOut ? maybe(inner) : inner] as const;
  });
  const runner = { _target_: shape.string(), output_dir: path, ...Object.fromEntries(own), ...runnerOptions };
  const provider = hasEnv ? {} : { provider: providerShape };
  return shape.object({ ...provider, runner: shape.object(runner) }, { others: shape.any() });
}

/** The options with the names that a runner has. In a config `null` means that a key is left out. */
export function camelCased(options: Section, ownOptions: OwnOptions = {}): Section {
  const ownNames = new Map(Object.keys(ownOptions).map((name) => [toSnakeCase(name), name]));
  const nameOf = (key: string) => ownNames.get(key) ?? toCamelCase(key);
  const renamed = Object.fromEntries(
    Object.entries(options)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [nameOf(key), value]),
  );
  copyOrigins(options, renamed, nameOf);
  return renamed;
}
