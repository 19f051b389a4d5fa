import { checkShape } from "../config/check-shape.ts";
import { findProjectRoot } from "../config/find-project-root.ts";
import { loadSection } from "../config/instantiate.ts";
import type { LoadedTarget } from "../config/load-target.ts";
import { locateTarget } from "../config/locate-target.ts";
import type { BaseRunner } from "../contract/base-runner.ts";
import { definitionIn } from "../contract/definition-mark.ts";
import type { GivenOptions } from "../contract/runner-options.ts";
import type { RunnerStatics } from "../contract/runner-traits.ts";
import { MillraceError } from "../errors/errors.ts";
import { importModule } from "../runtime/import-module.ts";
import { copyOrigins } from "../secrets/origins.ts";
import { describeKind } from "../values/state-json.ts";
import { hasTarget, pick, placeOfTarget, type RunConfig } from "./run-config.ts";
import {
  camelCased,
  type RunSections,
  runnerOptionNames,
  runSectionNames,
  runShapeWith,
  type TargetSection,
} from "./run-shape.ts";

export type AnyRunner = BaseRunner<object>;
export type AnyProvider = AnyRunner["provider"];

/** Creates the provider and the runner of a config. */
export async function makeRunner(
  { path, sections, options }: RunConfig,
  changed: GivenOptions = {},
): Promise<{ readonly runner: AnyRunner; readonly provider: AnyProvider }> {
  const runnerClass = await loadClass(sections.runner, "Runner", path);
  const { ownOptions: declared = {}, definition } = runnerClass.found as Partial<RunnerStatics>;
  checkShape(sections, runShapeWith(declared, { hasEnv: definition !== undefined }), path);
  if (definition !== undefined) refuseOtherProvider(sections, path);
  const provider = await makeProvider(sections, path);
  const isOwn = (key: string) => key !== "_target_" && key !== "output_dir" && !runnerOptionNames.includes(key);
  const own = camelCased(pick(sections.runner, isOwn), declared);
  const allOptions = { ...own, ...options, ...changed };
  copyOrigins(own, allOptions);
  const runner = (await runnerClass.call([provider, allOptions])) as AnyRunner;
  if (typeof runner?.run !== "function") throw unexpected(sections.runner, runner, { role: "Runner", path });
  setWorkerModule(runner, sections.runner, path);
  return { runner, provider };
}

async function makeProvider(sections: RunSections, path: string): Promise<AnyProvider> {
  const { provider: section = null, runner } = sections;
  // A run of `defineRun` builds its own env.
  const target = hasTarget(section) ? section : runner;
  const more = pick(section ?? {}, (key) => key !== "_target_" && key !== "params");
  const allParams = { ...more, ...section?.params };
  for (const part of [more, section?.params ?? {}]) copyOrigins(part, allParams);
  const config = pick(sections, (key) => !runSectionNames.includes(key));
  const provider = (await (await loadClass(target, "Provider", path)).call([config, allParams])) as AnyProvider;
  if (typeof provider?.buildEnvLocal !== "function") throw unexpected(target, provider, { role: "Provider", path });
  setWorkerModule(provider, target, path);
  return provider;
}

/** Refuses another provider for a definition: its `forward` needs what its own `env` builds. */
function refuseOtherProvider({ provider, runner }: RunSections, path: string): void {
  if (!hasTarget(provider) || provider._target_ === runner._target_) return;
  throw new MillraceError(
    "BAD_TARGET",
    `${placeOfTarget(provider, path)}: ${runner._target_} is a run of defineRun, which builds its env itself; ${provider._target_} would not be used.`,
    { hint: "Leave provider._target_ out. The params of env stay under provider." },
  );
}

type Role = "Runner" | "Provider";

/** The class that a section names. A run of `defineRun` is made of a class for each role. */
function loadClass(section: TargetSection, role: Role, path: string): Promise<LoadedTarget> {
  return loadSection(section, {
    projectRoot: findProjectRoot(path),
    expected: `a class or what defineRun returns`,
    async importModule(url) {
      const exported = Object.entries(await importModule(url));
      return Object.fromEntries(exported.map(([name, value]) => [name, definitionIn(value)?.[role] ?? value]));
    },
  });
}

const bases = { Runner: "BaseRunner", Provider: "EnvironmentProvider or InferenceProvider" };

function unexpected(
  section: TargetSection,
  made: unknown,
  { role, path }: { readonly role: Role; readonly path: string },
): MillraceError {
  const name = role.toLowerCase();
  return new MillraceError(
    "BAD_TARGET",
    `${placeOfTarget(section, path)}: ${section._target_} gave ${describeKind(made)}, not a ${name}.`,
    { hint: `Name a class that extends ${bases[role]}, or a run of defineRun, in ${name}._target_.` },
  );
}

/** Lets workers find the class as this command did, even if the class does not name its module. */
function setWorkerModule(made: object, { _target_ }: TargetSection, path: string): void {
  if (Object.hasOwn(made.constructor, "module")) return;
  Object.defineProperty(made.constructor, "module", { value: locateTarget(_target_, findProjectRoot(path)).url });
}
