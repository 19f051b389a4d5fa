import type { EnvironmentProvider } from "../provider/environment-provider.ts";
import { missingField } from "../provider/missing-field.ts";
import type { Oddness } from "../shared/encode-value.ts";
import { MillraceError } from "../shared/errors.ts";
import type { ProviderState } from "../shared/provider-state.ts";
import { describeKind, toPlainValues } from "../shared/state-json.ts";
import type { ClassStatics } from "./runner-traits.ts";

/** Makes sure, before any worker is started, that a worker can find the two classes and make the provider again. */
export function requireSendable(
  runner: ClassStatics,
  provider: EnvironmentProvider<object>,
  { missing }: ProviderState,
): void {
  const providerClass = provider.constructor as unknown as ClassStatics;
  requireModule(runner, "BAD_RUNNER");
  requireModule(providerClass, "BAD_PROVIDER");
  const [field] = Object.entries(missing);
  if (field === undefined) return;
  toPlainValues(provider.config, "config", refuse(providerClass.name));
  toPlainValues(provider.params, "params", refuse(providerClass.name));
  throw missingField(providerClass.name, field);
}

function requireModule(ownClass: ClassStatics, code: "BAD_RUNNER" | "BAD_PROVIDER"): void {
  const { name } = ownClass;
  const hint =
    "Add `static readonly module = import.meta.url;` to the class and export it: that is how a worker finds it.";
  if (ownClass.module === undefined)
    throw new MillraceError(code, `${name} has no static \`module\`, so a worker cannot find it.`, { hint });
  if (typeof ownClass.module !== "string" || ownClass.module === "")
    throw new MillraceError(code, `${name}.module is ${describeKind(ownClass.module)}.`, { hint });
  if (!Object.hasOwn(ownClass, "module"))
    throw new MillraceError(code, `${name} has its \`module\` from the class it extends.`, { hint });
  if (name === "") {
    throw new MillraceError(code, "A class without a name cannot be found by a worker.", {
      hint: "Give the class a name and export it under that name.",
    });
  }
}

function refuse(provider: string) {
  return (value: unknown, path: string, oddness: Oddness): never => {
    if (oddness === "circular") {
      throw new MillraceError("BAD_OPTION", `${path} refers to itself.`, {
        hint: "Config and params are plain data; keep objects that point back to themselves inside the provider.",
      });
    }
    throw new MillraceError(
      "BAD_PROVIDER",
      oddness === "kind"
        ? `${path} of ${provider} is ${describeKind(value)}: a worker cannot get it.`
        : `${path} of ${provider} has a property that is computed, hidden or under a symbol: a worker cannot get it.`,
      {
        hint: "Workers get config and params as data. Pass a name or a path there, and make the object itself in buildEnvLocal (or buildDataset, buildModel); or use env: local.",
      },
    );
  };
}
