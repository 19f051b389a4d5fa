import type { CodeClass, CodeSource } from "../code/code-snapshot.ts";
import { targetsIn } from "../code/targets-in.ts";
import { InferenceProvider } from "../contract/inference-provider.ts";
import type { ClassStatics } from "../contract/runner-traits.ts";

interface Belongings {
  /** Config and params: the targets that they name are code too. */
  readonly values: readonly unknown[];
  readonly project: string | undefined;
  /** Whether the run folder stays: a temporary one cannot be continued. */
  readonly isKept: boolean;
}

/** The files and classes that make up the code of a run. Undefined if code is not compared: the runner has a `version`, or the run folder is temporary. */
export function codeOf(
  runner: ClassStatics,
  provider: ClassStatics,
  { values, project, isKept }: Belongings,
): CodeSource | undefined {
  if (!isKept || Object.hasOwn(runner, "version")) return undefined;
  const cwd = process.cwd();
  return {
    classes: [...lineageOf(runner), ...lineageOf(provider)],
    targets: targetsIn(values, project ?? cwd),
    cwd,
  };
}

/** A class and those that it extends, up to the library's: a hook may be inherited from any of them. */
function lineageOf(userClass: ClassStatics): CodeClass[] {
  const found: CodeClass[] = [];
  let at = userClass;
  for (;;) {
    const above = Object.getPrototypeOf(at) as ClassStatics;
    if (above === (Function.prototype as unknown) || at === (InferenceProvider as unknown)) return found;
    const one = at;
    const module = Object.hasOwn(one, "module") && typeof one.module === "string" ? one.module : undefined;
    // A class above one that names its module is in that module, or imported by it.
    if (module !== undefined || !found.some((below) => below.module !== undefined))
      found.push({ name: one.name, module, text: () => String(one) });
    at = above;
  }
}
