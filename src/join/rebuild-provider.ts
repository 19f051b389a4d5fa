import { assignProject } from "../config/project-of.ts";
import { classTexts } from "../provider/class-texts.ts";
import { copyValues } from "../provider/copy-values.ts";
import type { EnvironmentProvider } from "../provider/environment-provider.ts";
import { missingField } from "../provider/missing-field.ts";
import { publicFields } from "../provider/own-fields.ts";
import { nameOfFunction, visibleText } from "../provider/visible-text.ts";
import { MillraceError, messageOf } from "../shared/errors.ts";
import type { ProviderState } from "../shared/provider-state.ts";
import { sha256 } from "../shared/sha256.ts";
import type { RunSpec } from "../store/run-spec.ts";

type Provider = EnvironmentProvider<object>;
type ProviderClass = new (config: unknown, params: unknown) => Provider;

/** Makes the driver's provider again, in a worker, from what the driver wrote down of it. */
export function rebuildProvider(providerClass: ProviderClass, spec: RunSpec): Provider {
  const { config, params, project, provider: reference } = spec;
  if (project !== undefined) assignProject([config, params], project);
  const { name } = reference;
  const state = spec.providerState ?? earlierState(spec, providerClass);
  const [missing] = Object.entries(state.missing);
  if (missing !== undefined) throw missingField(name, missing);
  const provider = make(providerClass, spec, state);
  if (typeof provider.buildWorkerSetupFn !== "function") throw notRebuildable(name, "it is not a provider");
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
  // The driver's was made with other arguments; all that it carries is written down.
  if (!state.isConstructible) return Object.create(providerClass.prototype as object) as Provider;
  // Copies: a constructor may change what it gets, and the driver's has done so already.
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

/** What was not written down must have been made here as it was there. */
function checkMade(provider: object, { made }: ProviderState, name: string): void {
  const fields = publicFields(provider);
  for (const [field, digest] of Object.entries(made)) {
    const visible = visibleText(fields.get(field)?.value, nameOfFunction);
    if (visible === undefined || sha256(visible) !== digest)
      throw notRebuildable(name, `its constructor makes another ${field} here than in the driver`);
  }
}

/** A run of an earlier version, which wrote down the names of the fields alone. */
function earlierState(
  { providerFields = [], provider: { name } }: RunSpec,
  { prototype }: ProviderClass,
): ProviderState {
  const field = providerFields.find((field) => field !== "config" && field !== "params");
  const { hasConstructor, privateNames } = classTexts(Object.create(prototype) as object);
  const unknown = field ?? privateNames[0] ?? (hasConstructor ? "constructor" : undefined);
  if (unknown === undefined) return { isConstructible: true, fields: {}, made: {}, missing: {} };
  throw notRebuildable(
    name,
    `an earlier version of millrace began the run, and did not write down what ${unknown} got`,
  );
}

function notRebuildable(name: string, why: string, cause?: unknown): MillraceError {
  return new MillraceError("BAD_PROVIDER", `${name} cannot be made again in a worker: ${why}.`, {
    cause,
    hint: `A worker calls \`new ${name}(config, params)\` and sets the fields of the driver's provider. Put what it needs into params (or config), and build the rest in buildEnvLocal; or start the run again from its script.`,
  });
}
