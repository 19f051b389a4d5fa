import { missingField } from "../contract/provider-fields/missing-field.ts";
import type { ClassStatics } from "../contract/runner-traits.ts";
import { MillraceError } from "../errors/errors.ts";
import type { Unstorable } from "../values/encode-value.ts";
import { describeKind, toPlainValues } from "../values/state-json.ts";
import type { RunRequest } from "./run-request.ts";

/** Makes sure, before any worker is started, that a worker can find the two classes and make the provider again. */
export function requireSendable({ task, identity }: RunRequest<unknown>): void {
  const { runner, provider } = task;
  const providerClass: ClassStatics = provider.constructor;
  requireModule(runner, "BAD_RUNNER");
  requireModule(providerClass, "BAD_PROVIDER");
  const [field] = Object.entries(identity.providerState.missing);
  if (field === undefined) return;
  const refuseFor = refuse(providerClass.name);
  toPlainValues(provider.config, "config", refuseFor, { keepsFunctions: true });
  toPlainValues(provider.params, "params", refuseFor, { keepsFunctions: true });
  throw missingField(providerClass.name, field);
}

function requireModule(userClass: ClassStatics, code: "BAD_RUNNER" | "BAD_PROVIDER"): void {
  const { name } = userClass;
  const call = code === "BAD_RUNNER" ? "defineRunner" : "defineProvider";
  const hint = `Add \`${call}(import.meta, ${name || "MyClass"});\` below the class and export the class: that is how a worker finds it.`;
  if (userClass.module === undefined)
    throw new MillraceError(code, `${name} has no static \`module\`, so a worker cannot find it.`, { hint });
  if (typeof userClass.module !== "string" || userClass.module === "")
    throw new MillraceError(code, `${name}.module is ${describeKind(userClass.module)}.`, { hint });
  if (!Object.hasOwn(userClass, "module"))
    throw new MillraceError(code, `${name} has its \`module\` from the class it extends.`, { hint });
  if (name === "") {
    throw new MillraceError(code, "A class without a name cannot be found by a worker.", {
      hint: "Give the class a name and export it under that name.",
    });
  }
}

function refuse(provider: string) {
  return (value: unknown, path: string, oddness: Unstorable): never => {
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
        hint:
          typeof value === "function"
            ? "Export the function under its name and add `defineFunction(import.meta, theFunction)` below it: a worker then imports it. Or name a function that makes it, { _target_: './file.js#makeIt' }, or make it in buildEnvLocal."
            : "Workers get config and params as data. Pass a name or a path there, and make the object itself in buildEnvLocal (or buildDataset, buildModel); or use env: local.",
      },
    );
  };
}
