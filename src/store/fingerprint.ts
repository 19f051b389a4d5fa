import type { ItemList } from "../plan/item-list.ts";
import { MillraceError } from "../shared/errors.ts";
import { describeKind, isPlainObject } from "../shared/state-json.ts";

/** What makes a run this run and no other: short texts by key, so that a difference can be shown key by key. */
export type Fingerprint = Readonly<Record<string, string>>;

export interface IdentityParts {
  readonly runner: string;
  readonly provider: string;
  readonly config: unknown;
  readonly params: unknown;
  /** The options that the runner's class adds. */
  readonly options?: object | undefined;
  readonly items: ItemList;
}

// How a run is carried out is not what it computes: a resume may change these.
const operationalKeys = new Set(["batch_size", "batchSize", "n_workers", "nWorkers"]);
const operationalSections = new Set(["config.parallel", "params.parallel"]);
const longestText = 200;

/** The identity of a run, in a form that fits into the manifest. */
export function makeFingerprint({ runner, provider, config, params, options, items }: IdentityParts): Fingerprint {
  const parts: Record<string, string> = { runner, provider };
  flatten("config", config ?? {}, parts);
  flatten("params", params ?? {}, parts);
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
  if (typeof value === "number") return String(value);
  if (typeof value === "bigint") return `[${describeKind(value)}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? `[${describeKind(value)}]`;
  if (above.includes(value)) throw refersToItself(path);
  const inner = (key: string, entry: unknown) => textOf(entry, `${path}.${key}`, [...above, value]);
  if (Array.isArray(value)) return `[${value.map((entry, i) => inner(String(i), entry)).join(",")}]`;
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return `[${describeKind(value)}, sha256 ${sha256(bytes).slice(0, 16)}]`;
  }
  if (!isPlainObject(value)) return `[${describeKind(value)}]`;
  const entries = Object.entries(value).filter(([key, entry]) => !operationalKeys.has(key) && entry !== undefined);
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, entry]) => `${JSON.stringify(key)}:${inner(key, entry)}`).join(",")}}`;
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

function sha256(content: string | Uint8Array): string {
  // Not imported: workers never need it, and it would be loaded before their first item.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(content).digest("hex");
}
