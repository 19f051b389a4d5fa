import type { ItemList } from "../plan/item-list.ts";
import { MillraceError } from "../shared/errors.ts";
import { sha256 } from "../shared/sha256.ts";
import { describeKind, isPlainObject, toPlainValues } from "../shared/state-json.ts";

/** What makes a run this run and no other: short texts by key, so that a difference can be shown key by key. */
export type Fingerprint = Readonly<Record<string, string>>;

export interface IdentityParts {
  readonly runner: string;
  readonly provider: string;
  readonly config: unknown;
  readonly params: unknown;
  /** What the provider carries besides, where its constructor does not make it of these two. */
  readonly fields?: object | undefined;
  /** The options that the runner's class adds. */
  readonly options?: object | undefined;
  readonly items: ItemList;
}

// How a run is carried out is not what it computes: a resume may change these.
const operationalKeys = new Set(["batch_size", "batchSize", "n_workers", "nWorkers"]);
const operationalSections = new Set(["config.parallel", "params.parallel"]);
const longestText = 200;

/** The identity of a run, in a form that fits into the manifest. */
export function makeFingerprint(identity: IdentityParts): Fingerprint {
  const { runner, provider, config, params, fields, options, items } = identity;
  const parts: Record<string, string> = { runner, provider };
  flatten("config", config ?? {}, parts);
  flatten("params", params ?? {}, parts);
  flatten("provider", fields ?? {}, parts);
  flatten("options", options ?? {}, parts);
  parts["items"] = `${items.count} items, ${digestItems(items)}`;
  return parts;
}

export interface Difference {
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The keys in which two runs differ. */
export function compareFingerprints(before: Fingerprint, after: Fingerprint): Difference[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys
    .filter((key) => before[key] !== after[key])
    .map((key) => ({ key, before: before[key], after: after[key] }));
}

function flatten(path: string, value: unknown, into: Record<string, string>, above: readonly unknown[] = []): void {
  if (operationalSections.has(path)) return;
  if (above.includes(value)) throw refersToItself(path);
  if (!isPlainObject(value)) {
    into[path] = shorten(textOf(value, path, above));
    return;
  }
  const entries = Object.entries(value).filter(([key, inner]) => !operationalKeys.has(key) && inner !== undefined);
  if (entries.length === 0 && above.length > 0) into[path] = "{}";
  for (const [key, inner] of entries) flatten(`${path}.${key}`, inner, into, [...above, value]);
}

// JSON, but for what JSON has no words for. Functions and instances can stand in the params of a run in one process;
// only what they are can be compared.
function textOf(value: unknown, path: string, above: readonly unknown[]): string {
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "bigint") return `[${describeKind(value)}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? `[${describeKind(value)}]`;
  if (above.includes(value)) throw refersToItself(path);
  const inner = (key: string, entry: unknown) => textOf(entry, `${path}.${key}`, [...above, value]);
  if (Array.isArray(value)) return `[${value.map((entry, i) => inner(String(i), entry)).join(",")}]`;
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return `[${describeKind(value)}, sha256 ${sha256(bytes).slice(0, 16)}]`;
  }
  if (!isPlainObject(value)) return describeInstance(value);
  const entries = Object.entries(value).filter(([key, entry]) => !operationalKeys.has(key) && entry !== undefined);
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, entry]) => `${JSON.stringify(key)}:${inner(key, entry)}`).join(",")}}`;
}

/** What an instance is, and where it can be written down a digest of what it holds. */
function describeInstance(value: object): string {
  const kind = describeKind(value);
  const odd = new Error("not data");
  try {
    const plain = toPlainValues(value, "", () => {
      throw odd;
    });
    return `[${kind}, sha256 ${sha256(JSON.stringify(plain)).slice(0, 16)}]`;
  } catch (error) {
    if (error === odd) return `[${kind}]`;
    throw error;
  }
}

function refersToItself(path: string): MillraceError {
  return new MillraceError("BAD_OPTION", `${path} refers to itself.`, {
    hint: "Config and params are plain data; keep objects that point back to themselves inside the provider.",
  });
}

function shorten(text: string): string {
  if (text.length <= longestText) return text;
  return `${text.slice(0, 60)}… (${text.length} characters, sha256 ${sha256(text).slice(0, 16)})`;
}

function digestItems(items: ItemList): string {
  const content = items.kind === "segments" ? JSON.stringify(items.segments) : new Uint8Array(items.indices.buffer);
  return `sha256 ${sha256(content).slice(0, 16)}`;
}
