import { join, resolve } from "node:path";
import { BadTarget } from "../config/bad-target.ts";
import { checkShape } from "../config/check-shape.ts";
import { configError, showPosition } from "../config/config-error.ts";
import { findProjectRoot } from "../config/find-project-root.ts";
import { locateTarget } from "../config/locate-target.ts";
import { checkParallel, type ParallelConfig, type ParallelInput } from "../config/parallel.ts";
import { positionOf, rememberPositions } from "../config/position-of.ts";
import type { GivenOptions } from "../contract/runner-options.ts";
import { MillraceError, messageOf } from "../errors/errors.ts";
import { copyOrigins } from "../secrets/origins.ts";
import { nearestName } from "../text/nearest-name.ts";
import { readable } from "../text/readable.ts";
import { isPlainObject } from "../values/state-json.ts";
import type { CodeTrust } from "./command.ts";
import { readConfig } from "./read-config.ts";
import {
  camelCased,
  parallelKeyNames,
  type RunSections,
  runnerOptionNames,
  runSectionNames,
  runShape,
  type TargetSection,
} from "./run-shape.ts";

/** A checked config of a run. Nothing is created from it yet. */
export interface RunConfig {
  readonly path: string;
  readonly sections: RunSections;
  readonly outputDir: string;
  /** The run folder: below `outputDir` if there is a `shard_subdir`. */
  readonly runDir: string;
  readonly options: GivenOptions;
  readonly parallel: ParallelConfig;
}

/** Reads and checks the config of a run. A run with a limit has its own folder. */
export async function readRunConfig(
  path: string,
  overrides: readonly string[],
  { limit, trust }: { readonly limit?: number | undefined; readonly trust: CodeTrust },
): Promise<RunConfig> {
  const sections = checkShape(await readConfig(path, overrides, trust), runShape, path);
  warnOfMisspeltSections(sections, path);
  const { output_dir } = sections.runner;
  const { env, n_workers, options: parallelOptions } = sections.parallel ?? {};
  const parallel = checkParallel({
    ...(env == null ? {} : { env }),
    ...(n_workers == null ? {} : { n_workers }),
    options: parallelOptions ?? noOptions(sections),
  } as ParallelInput);
  const outputDir = resolve(output_dir, limit === undefined ? "" : `limit-${limit}`);
  const common = pick(sections.runner, (key) => runnerOptionNames.includes(key));
  const runnerOptions: GivenOptions = { ...camelCased(common), outputDir, parallel };
  return {
    path,
    sections,
    outputDir,
    runDir: join(outputDir, runnerOptions.shardSubdir ?? ""),
    options: runnerOptions,
    parallel,
  };
}

// `hydra` is ignored.
const knownSections = runSectionNames.filter((name) => name !== "hydra");

/**
 * Warns on stderr about top-level keys that look like a misspelt section. Other keys belong to the provider's config,
 * so they may be intended; only a misspelt `parallel` is refused, because the run would silently have one worker.
 */
function warnOfMisspeltSections(config: object, path: string): void {
  const sections = config as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(sections)) {
    const near = runSectionNames.includes(key) ? undefined : nearestName(key, knownSections);
    if (near === undefined) continue;
    const position = positionOf(config, [key]) ?? { source: path };
    const isMisspelt = near === "parallel" && sections["parallel"] == null && isParallel(sections[key]);
    if (isMisspelt) {
      throw configError(position, `${key} is not known, and looks like ${near}.`, {
        hint: `Write ${near}. If it is a key of the provider, choose another name.`,
      });
    }
    const warning = `${showPosition(position)}: ${key} counts as a key of the provider.`;
    const advice = `Did you mean ${near}? If not, rename it or move it to provider.params to avoid this warning.`;
    process.stderr.write(`${readable(`millrace: warning: ${warning}\n  -> ${advice}`)}\n`);
  }
}

function isParallel(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => parallelKeyNames.includes(key));
}

/** A problem with a missing option has the position of the section that would contain it. */
function noOptions(sections: RunSections): object {
  const options = {};
  const place = positionOf(sections, ["parallel"]);
  if (place !== undefined) rememberPositions(options, place, new Map());
  return options;
}

/** The targets that this process creates from a config, with their positions. Nothing is imported. */
export function locateTargets({ path, sections: { provider, runner, items } }: RunConfig): string[] {
  const asked = [provider, runner, items].filter(hasTarget);
  for (const section of asked) checkTarget(section, path);
  return asked.map(({ _target_ }) => _target_);
}

export function hasTarget(section: unknown): section is TargetSection {
  return typeof section === "object" && section !== null && typeof (section as TargetSection)._target_ === "string";
}

function checkTarget(section: TargetSection, path: string): void {
  try {
    locateTarget(section._target_, findProjectRoot(path));
  } catch (error) {
    if (!(error instanceof BadTarget)) throw error;
    const message = `The target ${JSON.stringify(section._target_)} cannot be used: ${messageOf(error)}.`;
    throw new MillraceError("BAD_TARGET", `${placeOfTarget(section, path)}: ${message}`, { hint: error.hint });
  }
}

export function placeOfTarget(section: TargetSection, path: string): string {
  return showPosition(positionOf(section, ["_target_"]) ?? { source: path });
}

/** Some keys of a section, with their origins and positions. */
export function pick(section: object, isWanted: (key: string) => boolean): Record<string, unknown> {
  // Other values are not read: they may be values that could not be resolved.
  const values = section as Readonly<Record<string, unknown>>;
  const wanted = Object.keys(section).filter(isWanted);
  const picked = Object.fromEntries(wanted.map((key) => [key, values[key]]));
  copyOrigins(section, picked);
  return picked;
}
