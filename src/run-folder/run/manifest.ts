import { crc32, crcText } from "../../bytes/crc32.ts";
import { MillraceError } from "../../errors/errors.ts";
import type { ItemList, Segment } from "../../plan/item-list.ts";
import type { Plan } from "../../plan/plan.ts";
import { readBytesIfPresent, readIfPresent } from "../files/durable-files.ts";
import { createInRun, makeFolderInRun, replaceInRun } from "../files/run-files.ts";
import type { RunPaths } from "../files/run-paths.ts";
import { checkBounds, checkSegments } from "./check-plan.ts";
import { type CodeVersion, readCodeVersions } from "./code-versions.ts";
import type { Fingerprint } from "./fingerprint.ts";
import { foreignRun } from "./foreign-run.ts";

/** The version of the format of a run folder. A reader refuses a newer one. */
const formatVersion = 1;

/** The plan and the identity of a run. */
export interface Manifest {
  readonly plan: Plan;
  readonly fingerprint: Fingerprint;
  readonly created: string;
  /** The code versions of the run, the newest last. Empty in runs of earlier versions, and if the runner has a `version`. */
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

/** An irregular list of items is in a separate file, little-endian. */
interface ListFile {
  readonly file: string;
  readonly type: "u32" | "f64";
  readonly crc32: string;
}

/** Writes the manifest of a new run. Returns false if another driver was faster: then its manifest counts. */
export function createManifest(paths: RunPaths, { plan, fingerprint, code }: Omit<Manifest, "created">): boolean {
  const content = manifestText(paths, { plan, fingerprint, code, created: new Date().toISOString() });
  return createInRun(paths.root, paths.manifest, content);
}

/** Writes another identity or code version into the manifest of a run: the user has accepted the change. */
export function rewriteManifest(paths: RunPaths, manifest: Manifest): void {
  replaceInRun(paths.root, paths.manifest, manifestText(paths, manifest), { isDurable: true });
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
  makeFolderInRun(paths.root, paths.machinery);
  createInRun(paths.root, paths.itemList(file), bytes);
  return { count: items.count, list: { file, type, crc32: digest } };
}

/** Reads the manifest of a run. Throws if there is none. */
export function requireManifest(paths: RunPaths): Manifest {
  const manifest = readManifest(paths);
  if (manifest !== undefined) return manifest;
  throw new MillraceError("RUN_NOT_FOUND", `There is no run in ${paths.root}: manifest.json is not there.`, {
    hint: "Name the folder that holds manifest.json: outputDir, or outputDir/shardSubdir.",
  });
}

/** Reads the manifest of a run folder; undefined if there is none. Throws if it is damaged or foreign. */
export function readManifest(paths: RunPaths): Manifest | undefined {
  const text = readIfPresent(paths.manifest);
  if (text === undefined) return undefined;
  let file: Partial<ManifestFile>;
  try {
    file = JSON.parse(text) as Partial<ManifestFile>;
  } catch (error) {
    throw damaged(paths.manifest, "it is not JSON", error);
  }
  if (file?.format !== "millrace-run") {
    const hint = "Choose another outputDir or shardSubdir: a run keeps its own folder.";
    throw foreignRun(paths, `${paths.manifest} was not written by millrace.`, hint);
  }
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
  if (![items, shards, fingerprint].every((part) => typeof part === "object" && part !== null)) {
    throw damaged(paths.manifest, "items, shards or fingerprint are missing");
  }
  const list = loadItems(paths, items!);
  const wrong = checkBounds(shards!.bounds, shards!.count, list.count);
  if (wrong !== undefined) throw damaged(paths.manifest, wrong);
  return {
    plan: {
      items: { ...list, dataset: textsOf(fingerprint!)["dataset"] },
      bounds: shards!.bounds,
      shardCount: shards!.count,
    },
    fingerprint: textsOf(fingerprint!),
    created: typeof created === "string" ? created : "",
    code: readCodeVersions(file.code),
  };
}

/** Makes every value a text. A run writes only texts; any other value then counts as a difference. */
function textsOf(fingerprint: object): Fingerprint {
  return Object.fromEntries(
    Object.entries(fingerprint).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}

function loadItems(paths: RunPaths, items: ManifestFile["items"]): ItemList {
  if (items.segments !== undefined) {
    const wrong = checkSegments(items.segments, items.count);
    if (wrong !== undefined) throw damaged(paths.manifest, wrong);
    return { kind: "segments", count: items.count, segments: items.segments };
  }
  if (!/^items-[0-9a-f]{8}\.(u32|f64)$/.test(String(items.list?.file)) || typeof items.list?.file !== "string") {
    throw damaged(paths.manifest, "it names no list of items");
  }
  const path = paths.itemList(items.list.file);
  let bytes: Buffer | undefined;
  try {
    bytes = readBytesIfPresent(path);
  } catch (error) {
    throw damaged(path, "the list of items cannot be read", error);
  }
  if (bytes === undefined) throw damaged(path, "the list of items is not there");
  if (crcText(crc32(bytes)) !== items.list.crc32) throw damaged(path, "its checksum is not the one in the manifest");
  if (bytes.length % (items.list.type === "u32" ? 4 : 8) !== 0) throw damaged(path, "it is cut off");
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
