import type { BaseRunner } from "../../contract/base-runner.ts";
import type { EnvironmentProvider } from "../../contract/environment-provider.ts";
import type { GivenOptions } from "../../contract/runner-options.ts";
import { MillraceError, messageOf } from "../../errors/errors.ts";
import { runPaths } from "../../run-folder/files/run-paths.ts";
import type { ClassReference, RunSpec } from "../../run-folder/run/run-spec.ts";
import { copyOrigins } from "../../secrets/origins.ts";
import { loadClass } from "./load-class.ts";
import { loadSpec } from "./load-spec.ts";
import { rebuildProvider } from "./rebuild-provider.ts";

type AnyRunner = BaseRunner<object>;
interface AnyRunnerClass {
  readonly prototype: AnyRunner;
  new (provider: EnvironmentProvider<object>, options: GivenOptions): AnyRunner;
}

/** Rebuilds the runner of a run from its folder, with changed options: to retry, merge or resume it. */
export async function rebuildRunner(
  runDir: string,
  changed: GivenOptions | ((spec: RunSpec) => GivenOptions) = {},
): Promise<AnyRunner> {
  const { root } = runPaths(runDir);
  const spec = await loadSpec(runPaths(runDir));
  const { cwd } = spec;
  const runnerClass = await loadClass(spec.runner, { cwd, code: "BAD_RUNNER" });
  const providerClass = await loadClass(spec.provider, { cwd, code: "BAD_PROVIDER" });
  nameModule(runnerClass, spec.runner);
  nameModule(providerClass, spec.provider);
  const provider = rebuildProvider(providerClass as Parameters<typeof rebuildProvider>[0], spec);
  const options = {
    ...(spec.runnerOptions as GivenOptions),
    ...(typeof changed === "function" ? changed(spec) : changed),
  };
  const all = { ...options, outputDir: root, shardSubdir: "", resume: true };
  copyOrigins(spec.runnerOptions, all);
  return construct(runnerClass, provider, all, spec);
}

/** Sets the `module` of a class that has none, so that workers find the class where this process has found it. */
function nameModule(found: object, { module }: ClassReference): void {
  if (!Object.hasOwn(found, "module")) Object.defineProperty(found, "module", { value: module });
}

function isRunnerClass(found: object): found is AnyRunnerClass {
  return typeof (found as Partial<AnyRunnerClass>).prototype?.run === "function";
}

function construct(
  runnerClass: object,
  provider: EnvironmentProvider<object>,
  options: GivenOptions,
  { runner: { name } }: RunSpec,
): AnyRunner {
  // Checked before it is called: the spec may name any function.
  if (!isRunnerClass(runnerClass)) {
    throw new MillraceError("BAD_RUNNER", `${name} cannot be rebuilt from the run folder: it is not a runner.`, {
      hint: `Write \`export class ${name} extends BaseRunner\`, or use the script that started the run.`,
    });
  }
  try {
    return new runnerClass(provider, options);
  } catch (cause) {
    throw new MillraceError("BAD_RUNNER", `${name} cannot be rebuilt from the run folder: ${messageOf(cause)}`, {
      cause,
      hint: `It is called as \`new ${name}(provider, options)\`: keep that constructor, or use the script that started the run.`,
    });
  }
}
