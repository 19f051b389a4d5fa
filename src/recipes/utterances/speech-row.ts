import { MillraceError } from "../../index.ts";
import { type Audio, type ReadAudioOptions, readAudio } from "../../speech.ts";

/** The columns of a dataset's rows that a recipe reads. */
export interface SpeechColumns {
  readonly id?: string | null | undefined;
  readonly audio?: string | null | undefined;
  readonly text?: string | null | undefined;
  readonly speaker?: string | null | undefined;
}

/** How a recipe reads the audio of an utterance. */
export type SpeechAudioOptions = Omit<ReadAudioOptions, "offset" | "duration" | "channel" | "name"> & {
  readonly channel?: "mix" | number;
};

/** A row of a dataset as an utterance. */
export interface SpeechRow {
  readonly id: string;
  /** Empty if the row has none. */
  readonly text: string;
  /** Empty if the row names none. */
  readonly speaker: string;
  /** The file with its audio and no other; undefined for bytes, parts of files, archives and commands. */
  readonly file: string | undefined;
  /** Where its audio is, for people. */
  readonly source: string;
  /** The seconds of its audio, if the row says so, and the bytes if they are there: for estimates. */
  readonly seconds: number | undefined;
  readonly sizeBytes: number | undefined;
  readAudio(options: SpeechAudioOptions): Promise<Audio>;
}

/** Where a row is, and how its columns are called. */
export interface RowPlace {
  /** The dataset, for messages. */
  readonly name: string;
  readonly index: number;
  /** The id that the dataset has for the row; undefined if it has none. */
  readonly id: string | undefined;
  readonly columns: SpeechColumns;
  /** Makes a path of the row absolute. */
  readonly resolvePath: (path: string) => string;
}

type Row = Readonly<Record<string, unknown>>;

// The columns of our manifests, then those of Hugging Face and of `openFolder`.
const audioColumns = ["wav_path", "audio", "path"];
const speakerColumns = ["speaker_id", "speaker"];

/** An utterance of a row: one that reads its own audio (Kaldi, Lhotse), or one with a path or bytes in a column. */
export function speechRow(value: unknown, place: RowPlace): SpeechRow {
  if (typeof value !== "object" || value === null) throw badRow(place, "is no object", "Rows are objects.");
  const row = value as Row;
  const columns = {
    id: idOf(row, place),
    text: textOf(row, place.columns.text, ["text"], place),
    speaker: speakerOf(row, place),
  };
  return { ...columns, ...audioOf(row, place) };
}

function idOf(row: Row, place: RowPlace): string {
  const { columns } = place;
  const id = columns.id == null && place.id !== undefined ? place.id : textOf(row, columns.id, ["utt_id"], place);
  if (id.trim() !== "") return id;
  throw badRow(place, "has no id", "Name the column of the ids: { id } of the opener, or columns.id of the recipe.");
}

function speakerOf(row: Row, place: RowPlace): string {
  const { supervisions } = row;
  if (!Array.isArray(supervisions)) return textOf(row, place.columns.speaker, speakerColumns, place);
  const speakers = new Set(supervisions.map((one: Row) => (typeof one["speaker"] === "string" ? one["speaker"] : "")));
  if (speakers.size <= 1) return [...speakers][0] ?? "";
  throw badRow(place, `has ${speakers.size} speakers`, "Cut it with Lhotse first: cuts.trim_to_supervisions().");
}

type RowAudio = Pick<SpeechRow, "file" | "source" | "seconds" | "sizeBytes" | "readAudio">;

function audioOf(row: Row, place: RowPlace): RowAudio {
  const label = `${place.name}: row ${place.index}`;
  if (readsItself(row) && place.columns.audio == null) return audioOfItself(row, label);
  const found = columnOf(row, place.columns.audio, audioColumns, place);
  const value = found === undefined ? undefined : row[found];
  const holder = typeof value === "object" && value !== null ? (value as Row) : {};
  const bytes = value instanceof Uint8Array ? value : holder["bytes"];
  const path = typeof value === "string" ? value : holder["path"];
  if (bytes instanceof Uint8Array) {
    const source = typeof path === "string" && path !== "" ? path : label;
    const read = (options: SpeechAudioOptions) => readAudio(bytes, { ...options, name: source });
    return { file: undefined, source, seconds: undefined, sizeBytes: bytes.length, readAudio: read };
  }
  if (typeof path !== "string" || path.trim() === "") {
    throw badRow(place, "has no audio", `Name the column of the paths or bytes: columns.audio (${namesOf(row)}).`);
  }
  const file = place.resolvePath(path);
  return {
    ...{ file, source: file, seconds: undefined, sizeBytes: undefined },
    readAudio: (options) => readAudio(file, options),
  };
}

type SelfReading = Row & Pick<SpeechRow, "readAudio">;

/** Whether a row reads its audio itself: an utterance of Kaldi, a cut of Lhotse, or one of the user's classes. */
function readsItself(row: Row): row is SelfReading {
  return typeof row["readAudio"] === "function";
}

function audioOfItself(row: SelfReading, label: string): RowAudio {
  const { file, wav, start, end, duration } = row;
  const given = typeof end === "number" && typeof start === "number" ? end - start : duration;
  const isFile = typeof file === "string";
  return {
    file: isFile ? file : undefined,
    source: isFile ? file : typeof wav === "string" ? wav : label,
    seconds: typeof given === "number" ? given : undefined,
    sizeBytes: undefined,
    readAudio: (options) => row.readAudio(options),
  };
}

/** The text of a column: as it was named, or of the only usual one that the row has. A named one must be there. */
function textOf(row: Row, named: string | null | undefined, usual: readonly string[], place: RowPlace): string {
  const column = columnOf(row, named, usual, place);
  const value = column === undefined ? undefined : row[column];
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (typeof value === "bigint" || Number.isSafeInteger(value)) return String(value);
  throw badRow(place, `has no text as its ${column}`, `Name another column in columns (${namesOf(row)}).`);
}

function columnOf(
  row: Row,
  named: string | null | undefined,
  usual: readonly string[],
  place: RowPlace,
): string | undefined {
  if (named != null) {
    if (named in row) return named;
    throw badRow(place, `has no column ${JSON.stringify(named)}`, `It has ${namesOf(row)}.`);
  }
  const [found, other] = usual.filter((name) => row[name] !== undefined && row[name] !== null);
  if (other === undefined) return found;
  throw badRow(place, `has both ${found} and ${other}`, "Say which of them is meant: columns of the recipe.");
}

function namesOf(row: Row): string {
  return Object.keys(row).slice(0, 30).join(", ") || "no columns";
}

function badRow({ name, index }: RowPlace, problem: string, hint: string): MillraceError {
  return new MillraceError("BAD_RECORD", `${name}: row ${index} ${problem}.`, { hint });
}
