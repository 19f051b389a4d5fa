import { existsSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../bytes/sha256.ts";
import { MillraceError } from "../errors/errors.ts";
import { refuseFile } from "../formats/refuse-file.ts";
import { makeLocalDataset } from "./core/make-dataset.ts";
import { type OpenerSection, readOpenerArguments } from "./core/opener-arguments.ts";
import type { LocalDataset } from "./dataset.ts";
import { type KaldiLine, KaldiTable } from "./kaldi/kaldi-table.ts";
import { type KaldiFiles, KaldiUtterance } from "./kaldi/kaldi-utterance.ts";

/** Options of {@link openKaldi}. */
export interface OpenKaldiOptions {
  /**
   * The folder for relative paths of wav.scp and feats.scp. Default: the data folder. Kaldi's own scripts write paths
   * from the folder that they were started in: pass that one.
   */
  readonly baseDir?: string;
  /**
   * The programs that commands in wav.scp may start (`["sph2pipe"]`), which run without a shell. Default: none, and a
   * command is an error when its samples are asked for.
   */
  readonly commands?: readonly string[];
  /** The maximum number of bytes that a command may print. Default: 1 GiB. */
  readonly maxOutputBytes?: number;
  /** Where the indexes are kept. Default: beside the files, or in the cache folder if that is not writable. */
  readonly indexDir?: string;
}

const known = ["baseDir", "commands", "maxOutputBytes", "indexDir"] as const;
const tableNames = ["segments", "wav.scp", "feats.scp", "text", "utt2spk"] as const;
type TableName = (typeof tableNames)[number];
type Tables = ReadonlyMap<TableName, KaldiTable>;

/**
 * Opens a Kaldi data folder. A row is an utterance: a line of `segments`, or of `wav.scp` where there are no segments, with
 * its text and speaker. Samples and features are read on request.
 *
 * ```ts
 * await using train = await openKaldi("data/train");
 * const { samples } = await train.at(7).readAudio({ sampleRate: 16000 });
 * ```
 */
export async function openKaldi(
  path: string | OpenerSection<Omit<OpenKaldiOptions, "commands">>,
  options?: OpenKaldiOptions,
): Promise<LocalDataset<KaldiUtterance>> {
  const given = readOpenerArguments<OpenKaldiOptions>("openKaldi", [path, options], known);
  if (typeof path !== "string" && given.options.commands !== undefined) throw refuseCommands();
  const { baseDir = given.path, commands = [], maxOutputBytes = 2 ** 30, indexDir } = given.options;
  const tables = await openTables(given.path, indexDir);
  const names = [...tables.keys()];
  // The order of the list: segments say which utterances there are, then recordings, then features.
  const first = tables.get(names[0]!)!;
  const files: KaldiFiles = {
    ...{ baseDir, programs: commands, maxOutputBytes },
    wavScp: join(given.path, "wav.scp"),
    featsScp: join(given.path, "feats.scp"),
  };
  return makeLocalDataset<KaldiUtterance>({
    name: given.path,
    length: first.length,
    digest: `kaldi ${first.length} utterances, sha256 ${digestOf(tables)}`,
    readRow: (row) => utteranceAt(first.line(row), row, tables, files),
    readId: (row) => first.line(row).key,
    close: () => closeAll(tables.values()),
  });
}

/** A config makes and reads values; it starts no programs. */
function refuseCommands(): MillraceError {
  return new MillraceError("BAD_OPTION", "openKaldi: a config cannot allow the commands of a wav.scp.", {
    hint: "Write a function in a file of the project that calls openKaldi(path, { commands }), and name that as _target_.",
  });
}

async function openTables(folder: string, indexDir: string | undefined): Promise<Tables> {
  const tables = new Map<TableName, KaldiTable>();
  try {
    for (const name of tableNames) {
      const path = join(folder, name);
      if (existsSync(path)) tables.set(name, await KaldiTable.open(path, indexDir));
    }
  } catch (error) {
    closeAll(tables.values());
    throw error;
  }
  if (tables.has("wav.scp") || tables.has("feats.scp")) return tables;
  closeAll(tables.values());
  throw new MillraceError("BAD_FILE", `${folder} has no wav.scp and no feats.scp.`, {
    hint: "Name a data folder of Kaldi, for instance data/train.",
  });
}

function closeAll(tables: Iterable<KaldiTable>): void {
  for (const table of tables) table.close();
}

function digestOf(tables: Tables): string {
  return sha256(JSON.stringify([...tables].map(([name, { digest }]) => [name, digest]))).slice(0, 16);
}

function utteranceAt(line: KaldiLine, row: number, tables: Tables, files: KaldiFiles): KaldiUtterance {
  const id = line.key;
  const segments = tables.get("segments");
  const segment = segments === undefined ? { recording: id } : parseSegment(line, segments.path);
  const find = (name: TableName, key = id): KaldiLine | undefined => tables.get(name)?.find(key, row);
  const text = find("text")?.value;
  const speaker = find("utt2spk")?.value;
  const fields = { id, ...segment, ...(text !== undefined && { text }), ...(speaker !== undefined && { speaker }) };
  return new KaldiUtterance(fields, { wav: find("wav.scp", segment.recording), feats: find("feats.scp") }, files);
}

interface Segment {
  readonly recording: string;
  readonly start?: number;
  readonly end?: number;
  readonly channel?: number;
}

/** `utterance recording start end`, and sometimes a channel; an end of -1 is that of the recording. */
function parseSegment({ value, offset }: KaldiLine, file: string): Segment {
  const [recording, start, end, channel, ...rest] = value.split(/[ \t]+/);
  const [from, to] = [numberOf(start), numberOf(end)];
  const isWhole = to === -1;
  const isSound = from >= 0 && (isWhole || to > from) && rest.length === 0 && /^\d*$/.test(channel ?? "");
  if (recording === undefined || !isSound)
    throw refuseFile(
      file,
      offset,
      `a segment is "utterance recording start end", not ${JSON.stringify(value.slice(0, 80))}`,
    );
  return {
    recording,
    start: from,
    ...(!isWhole && { end: to }),
    ...(channel !== undefined && channel !== "" && { channel: Number(channel) }),
  };
}

function numberOf(text: string | undefined): number {
  return text !== undefined && /^-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?$/.test(text) ? Number(text) : NaN;
}
