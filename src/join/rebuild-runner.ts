import type { EnvironmentProvider } from "../provider/environment-provider.ts";
import type { BaseRunner } from "../runner/base-runner.ts";
import type { RunnerOptions } from "../runner/runner-options.ts";
import { MillraceError, messageOf } from "../shared/errors.ts";
import { runPaths } from "../store/run-paths.ts";
import type { RunSpec } from "../store/run-spec.ts";
import { loadClass } from "./load-class.ts";
import { loadSpec } from "./load-spec.ts";
import { rebuildProvider } from "./rebuild-provider.ts";

type AnyRunner = BaseRunner<object, unknown, unknown>;
type AnyRunnerClass = new (provider: EnvironmentProvider<object>, options: RunnerOptions) => AnyRunner;

/** Makes the runner of a run again from its folder, with options changed at will: to retry, merge or go on with it. */
export async function rebuildRunner(runDir: string, changed: RunnerOptions = {}): Promise<AnyRunner> {
  const { root } = runPaths(runDir);
  const spec = await loadSpec(runPaths(runDir));
  const { cwd } = spec;
  const runnerClass = (await loadClass(spec.runner, { cwd, code: "BAD_RUNNER" })) as unknown as AnyRunnerClass;
  const providerClass = await loadClass(spec.provider, { cwd, code: "BAD_PROVIDER" });
  const provider = rebuildProvider(providerClass as Parameters<typeof rebuildProvider>[0], spec);
  const options = { ...(spec.runnerOptions as RunnerOptions), ...changed };
  return construct(runnerClass, provider, { ...options, outputDir: root, shardSubdir: "", resume: true }, spec);
}

function construct(
  runnerClass: AnyRunnerClass,
  provider: EnvironmentProvider<object>,
  options: RunnerOptions,
  { runner: { name } }: RunSpec,
): AnyRunner {
  try {
    return new runnerClass(provider, options);
  } catch (cause) {
    throw new MillraceError("BAD_RUNNER", `${name} cannot be made again from the run's folder: ${messageOf(cause)}`, {
      cause,
      hint: `It is called as \`new ${name}(provider, options)\`: keep that constructor, or use the script that started the run.`,
    });
  }
}
