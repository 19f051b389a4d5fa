import { mkdirSync, readFileSync } from "node:fs";
import type { ItemList, Segment } from "../plan/item-list.ts";
import type { Plan } from "../plan/plan.ts";
import { crc32, crcText } from "../shared/crc32.ts";
import { MillraceError } from "../shared/errors.ts";
import { type CodeVersion, readCodeVersions } from "./code-versions.ts";
import { createFile, readIfPresent, replaceFile } from "./durable-files.ts";
import type { Fingerprint } from "./fingerprint.ts";
import type { RunPaths } from "./run-paths.ts";

/** The version of everything in a run folder. A reader refuses a newer one; a change of the format raises it. */
const formatVersion = 1;

/** Plan and identity of a run, as they are read back. */
export interface Manifest {
  readonly plan: Plan;
  readonly fingerprint: Fingerprint;
  readonly created: string;
  /** The states of the code that the run had, the newest last; none in runs of earlier versions, or where `version` decides. */
  readonly code: readonly CodeVersion[];
}

interface ManifestFile {
  readonly format: "millrace-run";
  readonly version: number;
  readonly created: string;
  readonly items: { readonly count: number; readonly segments?: readonly Segment[]; readonly list?: ListFile };
  readonly shards: { readonly count: number; readonly bounds: readonly Segment[] };
  readonly fingerprint: Fingerprint;
  readonly code?: readonly CodeVersion[];
}

/** An irregular list of items stands in a file of its own, little-endian. */
interface ListFile {
  readonly file: string;
  readonly type: "u32" | "f64";
  readonly crc32: string;
}

/** Writes the manifest of a new run; false where another driver was faster, whose manifest then counts. */
export function createManifest(paths: RunPaths, { plan, fingerprint, code }: Omit<Manifest, "created">): boolean {
  const content = manifestText(paths, { plan, fingerprint, code, created: new Date().toISOString() });
  return createFile(paths.manifest, content);
}

/** Puts another identity, or another state of the code, into the manifest of a run: the user has accepted the change. */
export function rewriteManifest(paths: RunPaths, manifest: Manifest): void {
  replaceFile(paths.manifest, manifestText(paths, manifest));
}

function manifestText(paths: RunPaths, { plan, fingerprint, created, code }: Manifest): string {
  const file: ManifestFile = {
    format: "millrace-run",
    version: formatVersion,
    created,
    items: storeItems(paths, plan.items),
    shards: { count: plan.shardCount, bounds: plan.bounds },
    fingerprint,
    ...(code.length === 0 ? {} : { code }),
  };
  return `${JSON.stringify(file, undefined, 1)}\n`;
}

function storeItems(paths: RunPaths, items: ItemList): ManifestFile["items"] {
  if (items.kind === "segments") return { count: items.count, segments: items.segments };
  const bytes = new Uint8Array(items.indices.buffer, items.indices.byteOffset, items.indices.byteLength);
  const digest = crcText(crc32(bytes));
  const type = items.indices instanceof Uint32Array ? "u32" : "f64";
  const file = `items-${digest}.${type}`;
  mkdirSync(paths.machinery, { recursive: true });
  createFile(paths.itemList(file), bytes);
  return { count: items.count, list: { file, type, crc32: digest } };
}

/** The manifest of a run that must be there. */
export function requireManifest(paths: RunPaths): Manifest {
  const manifest = readManifest(paths);
  if (manifest !== undefined) return manifest;
  throw new MillraceError("RUN_NOT_FOUND", `There is no run in ${paths.root}: manifest.json is not there.`, {
    hint: "Name the folder that holds manifest.json: outputDir, or outputDir/shardSubdir.",
  });
}

/** The manifest of a run folder, or undefined where no run was begun. A damaged or foreign one is an error. */
export function readManifest(paths: RunPaths): Manifest | undefined {
  const text = readIfPresent(paths.manifest);
  if (text === undefined) return undefined;
  let file: Partial<ManifestFile>;
  try {
    file = JSON.parse(text) as Partial<ManifestFile>;
  } catch (error) {
    throw damaged(paths.manifest, "it is not JSON", error);
  }
  if (file?.format !== "millrace-run") throw foreign(paths);
  if (typeof file.version !== "number" || file.version > formatVersion) {
    throw new MillraceError(
      "RUN_FOREIGN",
      `${paths.manifest} has format version ${file.version}; this millrace reads ${formatVersion}.`,
      {
        hint: "Use the version of millrace that began the run, or choose another outputDir.",
      },
    );
  }
  const { items, shards, fingerprint, created } = file;
  if (items === undefined || shards === undefined || fingerprint === undefined) {
    throw damaged(paths.manifest, "items, shards or fingerprint are missing");
  }
  const plan = { items: loadItems(paths, items), bounds: shards.bounds, shardCount: shards.count };
  return { plan, fingerprint, created: created ?? "", code: readCodeVersions(file.code) };
}

function loadItems(paths: RunPaths, items: ManifestFile["items"]): ItemList {
  if (items.segments !== undefined) return { kind: "segments", count: items.count, segments: items.segments };
  if (items.list === undefined || !/^items-[0-9a-f]{8}\.(u32|f64)$/.test(items.list.file)) {
    throw damaged(paths.manifest, "it names no list of items");
  }
  const path = paths.itemList(items.list.file);
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw damaged(path, "the list of items cannot be read", error);
  }
  if (crcText(crc32(bytes)) !== items.list.crc32) throw damaged(path, "its checksum is not the one in the manifest");
  const aligned = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const indices = items.list.type === "u32" ? new Uint32Array(aligned) : new Float64Array(aligned);
  return { kind: "list", count: indices.length, indices };
}

function damaged(path: string, why: string, cause?: unknown): MillraceError {
  return new MillraceError("RUN_DAMAGED", `${path} is damaged: ${why}. Nothing in the folder was touched.`, {
    cause,
    hint: "Restore that file from a copy (the committed shards are still there), or start over with resume: false.",
  });
}

function foreign(paths: RunPaths): MillraceError {
  return new MillraceError("RUN_FOREIGN", `${paths.manifest} was not written by millrace.`, {
    hint: "Choose another outputDir or shardSubdir: a run keeps its own folder.",
  });
}
