import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { MillraceError } from "../errors/errors.ts";
import { concatDatasets } from "./concat-datasets.ts";
import { makeLocalDataset } from "./core/make-dataset.ts";
import { type OpenerSection, readOpenerArguments } from "./core/opener-arguments.ts";
import type { LocalDataset } from "./dataset.ts";
import { ManifestPlace } from "./lhotse/lhotse-manifest.ts";
import { type LhotseRow, lhotseRow } from "./lhotse/lhotse-row.ts";
import { listShards, SharAudio, type SharShard } from "./lhotse/shar-folder.ts";
import { openJsonl } from "./open-jsonl.ts";

/** Options of {@link openLhotse}. */
export interface OpenLhotseOptions {
  /** The manifest with the recordings of supervisions. Its ids are held in memory. Default: the one beside them. */
  readonly recordings?: string;
  /** The folder for relative paths of audio. Default: the current one, as in Lhotse. */
  readonly baseDir?: string;
  /** Where indexes are kept. Default: beside the files, or in the cache folder if that is not writable. */
  readonly indexDir?: string;
}

const known = ["recordings", "baseDir", "indexDir"] as const;

/**
 * Opens a manifest of Lhotse (cuts, recordings or supervisions, `.jsonl` or `.jsonl.gz`), a folder that has one, or a Shar
 * folder. Samples are read on request: those of a cut are its part of the recording.
 *
 * ```ts
 * await using cuts = await openLhotse("cuts_train.jsonl.gz");
 * const { samples } = await cuts.at(7).readAudio({ sampleRate: 16000 });
 * ```
 */
export async function openLhotse(
  path: string | OpenerSection<OpenLhotseOptions>,
  options?: OpenLhotseOptions,
): Promise<LocalDataset<LhotseRow>> {
  const given = readOpenerArguments<OpenLhotseOptions>("openLhotse", [path, options], known);
  const isFolder = statSync(given.path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const shards = isFolder ? listShards(given.path) : [];
  if (shards.length > 0) return openAll(shards.map((shard) => () => openShard(shard, given.options)));
  return openManifest(isFolder ? manifestIn(given.path) : given.path, given.options);
}

/** Opens one after the other; if one cannot be opened, the others are closed. */
async function openAll(openers: readonly (() => Promise<LocalDataset<LhotseRow>>)[]): Promise<LocalDataset<LhotseRow>> {
  const parts: LocalDataset<LhotseRow>[] = [];
  try {
    for (const open of openers) parts.push(await open());
  } catch (error) {
    await Promise.all(parts.map((part) => part.close()));
    throw error;
  }
  return concatDatasets(parts);
}

const endings = [".jsonl.gz", ".jsonl"];

function manifestIn(folder: string): string {
  const names = ["cuts", "supervisions", "recordings"].flatMap((name) => endings.map((ending) => `${name}${ending}`));
  const found = names.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new MillraceError("BAD_FILE", `${folder} has no manifest of Lhotse.`, {
    hint: `It should have one of ${names.join(", ")}, or the shards cuts.000000.jsonl.gz and recording.000000.tar.`,
  });
}

async function openManifest(path: string, { recordings, baseDir = ".", indexDir }: OpenLhotseOptions) {
  const where = { ...(indexDir !== undefined && { indexDir }) };
  const lines = await openJsonl<unknown>(path, where);
  const beside = recordings ?? besideOf(path);
  try {
    const first = lines.length === 0 ? undefined : lines.at(0);
    const needs = typeof first === "object" && first !== null && "recording_id" in first;
    const lookUp = needs && beside !== undefined ? await openRecordings(beside, where) : undefined;
    const rowAt = (row: number) =>
      lhotseRow(lines.at(row), new ManifestPlace(path, row), { audio: { baseDir }, recordingOf: lookUp?.find });
    return makeLocalDataset<LhotseRow>({
      name: path,
      length: lines.length,
      digest: `lhotse ${lines.digest}${lookUp === undefined ? "" : ` with ${lookUp.digest}`}`,
      readRow: rowAt,
      readId: (row) => rowAt(row).id,
      close: async () => {
        await lines.close();
        await lookUp?.close();
      },
    });
  } catch (error) {
    await lines.close();
    throw error;
  }
}

/** The manifest of recordings that Lhotse writes beside one of supervisions. */
function besideOf(path: string): string | undefined {
  const other = path.replace(/supervisions(?=[^/\\]*$)/, "recordings");
  return other !== path && existsSync(other) ? other : undefined;
}

interface RecordingTable {
  readonly digest: string;
  find(id: string): unknown;
  close(): Promise<void>;
}

async function openRecordings(path: string, where: { readonly indexDir?: string }): Promise<RecordingTable> {
  const lines = await openJsonl<unknown>(path, where);
  const rows = new Map<string, number>();
  for (let row = 0; row < lines.length; row++) {
    const place = new ManifestPlace(path, row);
    const { id } = place.manifest(lines.at(row));
    if (rows.has(id)) throw place.bad(`has the id ${JSON.stringify(id.slice(0, 100))} of row ${rows.get(id)}`);
    rows.set(id, row);
  }
  return {
    digest: lines.digest,
    find: (id) => {
      const row = rows.get(id);
      return row === undefined ? undefined : lines.at(row);
    },
    close: () => lines.close(),
  };
}

async function openShard({ cuts, recordings }: SharShard, { baseDir = ".", indexDir }: OpenLhotseOptions) {
  const lines = await openJsonl<unknown>(cuts, { ...(indexDir !== undefined && { indexDir }) });
  try {
    const audio =
      recordings === undefined ? undefined : await SharAudio.open(recordings, { cuts: lines.length, indexDir });
    const rowAt = (row: number): LhotseRow => {
      const place = new ManifestPlace(cuts, row);
      const value = lines.at(row);
      const { id } = place.manifest(value);
      const inArchive = audio === undefined ? undefined : () => audio.read(row, id);
      return lhotseRow(value, place, { audio: { baseDir, inArchive } });
    };
    return makeLocalDataset<LhotseRow>({
      name: cuts,
      length: lines.length,
      digest: `shar ${lines.digest}${audio === undefined ? "" : ` with ${audio.digest}`}`,
      readRow: rowAt,
      readId: (row) => rowAt(row).id,
      close: async () => {
        await lines.close();
        await audio?.close();
      },
    });
  } catch (error) {
    await lines.close();
    throw error;
  }
}
