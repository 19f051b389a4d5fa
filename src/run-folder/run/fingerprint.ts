import { sha256 } from "../../bytes/sha256.ts";
import { MillraceError } from "../../errors/errors.ts";
import type { ItemList } from "../../plan/item-list.ts";
import { digestVariables } from "../../secrets/digest-variables.ts";
import { isSecretText, looksSecret } from "../../secrets/looks-secret.ts";
import { expressionFor } from "../../secrets/origins.ts";
import type { EncodedChild } from "../../values/encode-value.ts";
import { describeKind, isPlainObject, toPlainValues } from "../../values/state-json.ts";

/** The identity of a run: short texts by key, so that a difference can be shown key by key. */
export type Fingerprint = Readonly<Record<string, string>>;

export interface IdentityParts {
  readonly runner: string;
  readonly provider: string;
  readonly config: unknown;
  readonly params: unknown;
  /** Other fields of the provider, which its constructor does not make from config and params. */
  readonly fields?: object | undefined;
  /** The own options of the runner. */
  readonly options?: object | undefined;
  readonly items: ItemList;
}

// These do not change what a run computes: a resume may change them.
const operationalKeys = new Set(["batch_size", "batchSize", "n_workers", "nWorkers"]);
const operationalSections = new Set(["config.parallel", "params.parallel"]);
const maxTextLength = 200;

/**
 * The identity of a run, short enough for the manifest. A value from the environment is stored as its expression and a
 * few bits of a digest. Of a secret only the presence counts: with another token it is the same run.
 */
export function makeFingerprint(identity: IdentityParts): Fingerprint {
  return fingerprintOf(identity, true);
}

/** The fingerprint as earlier versions made it, with the values themselves. It is only compared, never written. */
export function makeUnmaskedFingerprint(identity: IdentityParts): Fingerprint {
  return fingerprintOf(identity, false);
}

function fingerprintOf(identity: IdentityParts, masks: boolean): Fingerprint {
  const { runner, provider, config, params, fields, options, items } = identity;
  const parts: Record<string, string> = { runner, provider };
  const add = (path: string, value: unknown) =>
    flatten(
      { path, value: value ?? {}, holder: identity, key: path, isSecret: false, above: [] },
      { into: parts, masks },
    );
  add("config", config);
  add("params", params);
  add("provider", fields);
  add("options", options);
  if (items.dataset !== undefined) parts["dataset"] = items.dataset;
  parts["items"] = `${items.count} items, ${digestItems(items)}`;
  return parts;
}

export interface Difference {
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The keys in which two runs differ. `unmasked`: the second one as an earlier version would have written it. */
export function compareFingerprints(before: Fingerprint, after: Fingerprint, open: Fingerprint = after): Difference[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys
    .filter((key) => before[key] !== after[key] && before[key] !== open[key])
    .map((key) => ({ key, before: before[key], after: after[key] }));
}

/** A value of the identity, and its key. */
interface Part {
  readonly path: string;
  readonly value: unknown;
  readonly holder: object;
  readonly key: string | number;
  /** Whether a key above it looks like that of a secret. */
  readonly isSecret: boolean;
  readonly above: readonly unknown[];
}

function partIn({ path, value, isSecret, above }: Part, key: string | number, inner: unknown): Part {
  return {
    path: `${path}.${key}`,
    value: inner,
    holder: value as object,
    key,
    isSecret: isSecret || (typeof key === "string" && looksSecret(key)),
    above: [...above, value],
  };
}

function flatten(part: Part, to: { readonly into: Record<string, string>; readonly masks: boolean }): void {
  const { path, value, above } = part;
  const { into, masks } = to;
  if (operationalSections.has(path)) return;
  if (above.includes(value)) throw refersToItself(path);
  const hidden = masks ? maskedText(part) : undefined;
  if (hidden !== undefined || !isPlainObject(value)) {
    into[path] = shorten(hidden ?? textOf(part, masks));
    return;
  }
  const entries = Object.entries(value).filter(([key, inner]) => !operationalKeys.has(key) && inner !== undefined);
  if (entries.length === 0 && above.length > 0) into[path] = "{}";
  for (const [key, inner] of entries) flatten(partIn(part, key, inner), to);
}

/** The text that is stored instead of a secret value; undefined if the value is not secret. */
function maskedText({ value, holder, key, isSecret }: Part): string | undefined {
  const expression = expressionFor(holder, key, value);
  if (expression !== undefined) return `${JSON.stringify(expression)}${isSecret ? "" : digestVariables(expression)}`;
  // A few bits of a digest show the change of a value that only looks like a secret: the kind of tokens, for example.
  return isSecret && isSecretText(value) ? `[secret ${sha256(`secret\0${value}`).slice(0, 4)}]` : undefined;
}

// JSON, except for values that JSON does not have. The params of a run in one process may contain functions and
// instances; of these only the kind can be compared.
function textOf(part: Part, masks: boolean): string {
  const { path, value, above } = part;
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "bigint") return `[${describeKind(value)}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? `[${describeKind(value)}]`;
  if (above.includes(value)) throw refersToItself(path);
  const inner = (key: string | number, entry: unknown) => {
    const child = partIn(part, key, entry);
    return (masks ? maskedText(child) : undefined) ?? textOf(child, masks);
  };
  if (Array.isArray(value)) return `[${value.map((entry, i) => inner(i, entry)).join(",")}]`;
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return `[${describeKind(value)}, sha256 ${sha256(bytes).slice(0, 16)}]`;
  }
  if (!isPlainObject(value)) return describeInstance(value, masks);
  const entries = Object.entries(value).filter(([key, entry]) => !operationalKeys.has(key) && entry !== undefined);
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, entry]) => `${JSON.stringify(key)}:${inner(key, entry)}`).join(",")}}`;
}

/** The class of an instance and, if it can be encoded, a digest of its content. */
function describeInstance(value: object, masks: boolean): string {
  const kind = describeKind(value);
  const notData = new Error("not data");
  const refuse = () => {
    throw notData;
  };
  try {
    const hide = ({ holder, key, value: inner }: EncodedChild) => expressionFor(holder, key, inner);
    const plain = toPlainValues(value, "", refuse, masks ? { expressionFor: hide } : {});
    return `[${kind}, sha256 ${sha256(JSON.stringify(plain)).slice(0, 16)}]`;
  } catch (error) {
    if (error === notData) return `[${kind}]`;
    throw error;
  }
}

function refersToItself(path: string): MillraceError {
  return new MillraceError("BAD_OPTION", `${path} refers to itself.`, {
    hint: "Config and params are plain data; keep objects that point back to themselves inside the provider.",
  });
}

function shorten(text: string): string {
  if (text.length <= maxTextLength) return text;
  return `${text.slice(0, 60)}… (${text.length} characters, sha256 ${sha256(text).slice(0, 16)})`;
}

function digestItems(items: ItemList): string {
  const content = items.kind === "segments" ? JSON.stringify(items.segments) : new Uint8Array(items.indices.buffer);
  return `sha256 ${sha256(content).slice(0, 16)}`;
}
