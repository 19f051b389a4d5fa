import { MillraceError } from "../errors/errors.ts";
import { describeKind } from "../values/state-json.ts";
import type { EnvironmentProvider } from "./environment-provider.ts";
import type { InferenceEnv } from "./inference-provider.ts";
import type { OfSubclass } from "./runner-hooks.ts";
import type { CheckedHooks, NoMisspeltHooks, RunnerTypes } from "./runner-types.ts";

interface Typed {
  readonly "~types": RunnerTypes<OfSubclass, OfSubclass, OfSubclass, OfSubclass>;
}
type RunnerConstructor = abstract new (...args: OfSubclass[]) => Typed;
type ProviderConstructor = abstract new (
  ...args: OfSubclass[]
) => EnvironmentProvider<OfSubclass, OfSubclass, OfSubclass>;

/** The `import.meta` of a module. */
export interface ModuleMeta {
  readonly url: string;
}

type TypesOf<Class extends RunnerConstructor> = InstanceType<Class>["~types"];

/**
 * Names the module of a runner class, so that workers find the class, and checks at compile time that its static hooks fit
 * its env, result and options:
 *
 * ```ts
 * export class LengthRunner extends BaseRunner<Env, Length> {
 *   static forward(idx: number, { words }: Env): Length { … }
 * }
 * defineRunner(import.meta, LengthRunner);
 * ```
 */
export function defineRunner<Class extends RunnerConstructor>(
  meta: ModuleMeta,
  runnerClass: Class & CheckedHooks<Class, TypesOf<Class>> & NoMisspeltHooks<Class>,
): void {
  setModule(meta, runnerClass, "defineRunner");
}

type BuildersOf<Provider> = Provider extends {
  readonly "~types": { readonly env: infer Env; readonly config: infer Config };
}
  ? Env extends InferenceEnv
    ? {
        readonly buildDataset: (config: Config) => Env["dataset"] | Promise<Env["dataset"]>;
        readonly buildModel: (config: Config) => Env["model"] | Promise<Env["model"]>;
      }
    : unknown
  : unknown;

/**
 * Names the module of a provider class, so that workers find it, and checks the static builders of an
 * `InferenceProvider`.
 */
export function defineProvider<Class extends ProviderConstructor>(
  meta: ModuleMeta,
  providerClass: Class & BuildersOf<InstanceType<Class>>,
): void {
  setModule(meta, providerClass, "defineProvider");
}

/**
 * Names the module of an exported function, so that it can be given to a provider in config or params: a worker imports the
 * function from there by its name.
 *
 * ```ts
 * export function dropShort(sample: Sample): Sample | null { … }
 * defineFunction(import.meta, dropShort);
 * new PrepProvider(config, { cleaner: dropShort });
 * ```
 */
export function defineFunction(meta: ModuleMeta, exported: (...args: OfSubclass[]) => unknown): void {
  setModule(meta, exported, "defineFunction");
  if (exported.name !== "") return;
  throw new MillraceError("BAD_OPTION", "defineFunction got a function without a name.", {
    hint: "Write `export function name() { … }`: a worker looks for the name among the exports.",
  });
}

function setModule(meta: ModuleMeta, found: unknown, caller: string): void {
  if (typeof meta?.url !== "string") {
    throw new MillraceError("BAD_OPTION", `${caller} got ${describeKind(meta)} as its first argument.`, {
      hint: `Pass import.meta: ${caller}(import.meta, …).`,
    });
  }
  if (typeof found !== "function") {
    throw new MillraceError("BAD_OPTION", `${caller} got ${describeKind(found)} as its second argument.`, {
      hint: `Pass the class or function itself: ${caller}(import.meta, …).`,
    });
  }
  Object.defineProperty(found, "module", { value: meta.url, enumerable: true });
}
