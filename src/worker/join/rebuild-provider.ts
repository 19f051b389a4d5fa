import { sha256 } from "../../bytes/sha256.ts";
import { assignProject } from "../../config/project-of.ts";
import type { EnvironmentProvider } from "../../contract/environment-provider.ts";
import { classTexts } from "../../contract/provider-fields/class-texts.ts";
import { copyValues } from "../../contract/provider-fields/copy-values.ts";
import { missingField } from "../../contract/provider-fields/missing-field.ts";
import { publicFields } from "../../contract/provider-fields/provider-fields.ts";
import { nameOfFunction, visibleText } from "../../contract/provider-fields/visible-text.ts";
import { MillraceError, messageOf } from "../../errors/errors.ts";
import type { RunSpec } from "../../run-folder/run/run-spec.ts";
import { maskSecrets } from "../../secrets/secret-values.ts";
import type { ProviderState } from "../../values/provider-state.ts";

type Provider = EnvironmentProvider<object>;
type ProviderClass = new (config: unknown, params: unknown) => Provider;

/** Rebuilds the driver's provider in a worker, from the state that the driver wrote into the spec. */
export function rebuildProvider(providerClass: ProviderClass, spec: RunSpec): Provider {
  const { config, params, project, provider: reference } = spec;
  if (project !== undefined) assignProject([config, params], project);
  const { name } = reference;
  // Checked before it is called: the spec may name any function.
  if (typeof providerClass.prototype?.buildWorkerSetupFn !== "function")
    throw notRebuildable(name, "it is not a provider");
  const state = spec.providerState ?? earlierState(spec, providerClass);
  const [missing] = Object.entries(state.missing);
  if (missing !== undefined) throw missingField(name, missing);
  const provider = make(providerClass, spec, state);
  const wanted = new Map(Object.entries({ config, params, ...state.fields }));
  for (const [field, value] of wanted) setField(provider, field, { value, name });
  for (const field of publicFields(provider).keys()) {
    const isDrivers = wanted.has(field) || Object.hasOwn(state.made, field);
    if (!isDrivers && !Reflect.deleteProperty(provider, field))
      throw notRebuildable(name, `its constructor makes the field ${field} here, which the driver's does not have`);
  }
  checkMade(provider, state, name);
  return provider;
}

function make(
  providerClass: ProviderClass,
  { config, params, project, provider: { name } }: RunSpec,
  state: ProviderState,
) {
  // The driver's provider was made with other arguments. The spec has all its fields.
  if (!state.isConstructible) return Object.create(providerClass.prototype as object) as Provider;
  // Copies, because a constructor may change its arguments: in the driver it has already done so.
  const [configCopy, paramsCopy] = copyValues([config, params]);
  if (project !== undefined) assignProject([configCopy, paramsCopy], project);
  try {
    return new providerClass(configCopy, paramsCopy);
  } catch (cause) {
    throw notRebuildable(name, `its constructor failed: ${messageOf(cause)}`, cause);
  }
}

function setField(provider: object, field: string, { value, name }: { value: unknown; name: string }): void {
  const property = { value, enumerable: true, writable: true, configurable: true };
  if (!Reflect.defineProperty(provider, field, property))
    throw notRebuildable(name, `its constructor has locked the field ${field}`);
}

/** Checks that fields that are not in the spec are the same here as in the driver. */
function checkMade(provider: object, { made }: ProviderState, name: string): void {
  const fields = publicFields(provider);
  for (const [field, digest] of Object.entries(made)) {
    const visible = visibleText(fields.get(field)?.value, nameOfFunction);
    if (visible === undefined || sha256(maskSecrets(visible)) !== digest)
      throw notRebuildable(name, `its constructor makes another ${field} here than in the driver`);
  }
}

/** The state of a provider in a run of an earlier version, whose spec has only the names of the fields. */
function earlierState(
  { providerFields = [], provider: { name } }: RunSpec,
  { prototype }: ProviderClass,
): ProviderState {
  const field = providerFields.find((field) => field !== "config" && field !== "params");
  const { hasConstructor, privateNames } = classTexts(Object.create(prototype) as object);
  const unknown = field ?? privateNames[0] ?? (hasConstructor ? "constructor" : undefined);
  if (unknown === undefined) return { isConstructible: true, fields: {}, made: {}, missing: {} };
  throw notRebuildable(name, `an earlier version of millrace began the run, and did not store the value of ${unknown}`);
}

function notRebuildable(name: string, why: string, cause?: unknown): MillraceError {
  return new MillraceError("BAD_PROVIDER", `${name} cannot be rebuilt in a worker: ${why}.`, {
    cause,
    hint: `A worker calls \`new ${name}(config, params)\` and sets the fields of the driver's provider. Put what it needs into params (or config), and build the rest in buildEnvLocal; or start the run again from its script.`,
  });
}
