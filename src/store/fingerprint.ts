import { createHash } from "node:crypto";
import type { ItemList } from "../plan/item-list.ts";
import { describeKind, isPlainObject } from "../shared/state-json.ts";

/** What makes a run this run and no other: short texts by key, so that a difference can be shown key by key. */
export type Fingerprint = Readonly<Record<string, string>>;

export interface IdentityParts {
  readonly runner: string;
  readonly provider: string;
  readonly config: unknown;
  readonly params: unknown;
  readonly items: ItemList;
}

// How a run is carried out is not what it computes: a resume may change these.
const operationalKeys = new Set(["batch_size", "batchSize", "n_workers", "nWorkers"]);
const operationalSections = new Set(["config.parallel", "params.parallel"]);
const longestText = 200;

/** The identity of a run, in a form that fits into the manifest. */
export function makeFingerprint({ runner, provider, config, params, items }: IdentityParts): Fingerprint {
  const parts: Record<string, string> = { runner, provider };
  flatten("config", config ?? {}, parts);
  flatten("params", params ?? {}, parts);
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

function flatten(path: string, value: unknown, into: Record<string, string>): void {
  if (operationalSections.has(path)) return;
  if (!isPlainObject(value)) {
    into[path] = shorten(textOf(value));
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (!operationalKeys.has(key) && inner !== undefined) flatten(`${path}.${key}`, inner, into);
  }
}

// Functions and instances can stand in the params of a run in one process; only what they are can be compared.
function textOf(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) => {
      if (typeof inner === "function" || typeof inner === "bigint") return `[${describeKind(inner)}]`;
      if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
      if (!isPlainObject(inner)) return `[${describeKind(inner)}]`;
      return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
    }) ?? "undefined"
  );
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
  return createHash("sha256").update(content).digest("hex");
}
