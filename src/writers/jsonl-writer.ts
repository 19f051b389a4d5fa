import { MillraceError } from "../errors/errors.ts";
import { pieceCompressor } from "../formats/lines/compression.ts";
import { jsonText, type NonFinite } from "../formats/lines/json-text.ts";
import { checkFileName, recordsName } from "../run-folder/shard/shard-file-names.ts";
import { describeKind } from "../values/state-json.ts";
import { LineWriter } from "./line-writer.ts";
import { putJsonLine } from "./put-json-line.ts";

/** How values are written that JSON does not have. */
export interface JsonlWriterOptions {
  /** NaN and the infinities: `refuse` them, which fails their item, or write `null`. Default: `refuse`. */
  readonly nonFinite?: NonFinite | undefined;
}

class JsonlWriter<Record> extends LineWriter<Record> {
  private readonly choice: { nonFinite: NonFinite };

  constructor(shardDir: string, name: string, nonFinite: NonFinite) {
    const choice = { nonFinite };
    super(shardDir, checkFileName(name), (record) => encodeRecord(record, choice.nonFinite), {
      compress: pieceCompressor(name),
      putLine: putJsonLine,
    });
    this.choice = choice;
  }

  /** The run's choice for NaN, for the default records of every runner. */
  useNonFinite(nonFinite: NonFinite): void {
    this.choice.nonFinite = nonFinite;
  }
}

/**
 * One JSON text per line, compressed if the name says so (`.jsonl.gz`, `.jsonl.zst`). With checkpoints; merged by
 * concatenating the shards' files, which is valid for compressed ones too. Typed arrays are written as arrays; a value
 * that JSON would change is refused with its path.
 */
export function jsonlWriter<Record = unknown>(
  shardDir: string,
  name: string = recordsName,
  { nonFinite = "refuse" }: JsonlWriterOptions = {},
): LineWriter<Record> {
  if (nonFinite !== "refuse" && nonFinite !== "null")
    throw new MillraceError("BAD_OPTION", `Option nonFinite of jsonlWriter is ${describeKind(nonFinite)}.`, {
      hint: 'Pass "refuse" or "null", or leave it out for "refuse".',
    });
  return new JsonlWriter<Record>(shardDir, name, nonFinite);
}

/**
 * Passes the run's choice to the writer of the default records. By its method: it may be of another copy of this
 * package.
 */
export function applyNonFinite(writer: unknown, nonFinite: NonFinite): void {
  const { useNonFinite } = (writer ?? {}) as Partial<JsonlWriter<unknown>>;
  if (typeof useNonFinite === "function") useNonFinite.call(writer, nonFinite);
}

/** A record as JSON; one that JSON would change is refused before anything is written. */
export function encodeRecord(record: unknown, nonFinite: NonFinite = "refuse"): string {
  const made = jsonText(record, { root: "result", nonFinite });
  if ("text" in made) return made.text;
  throw new MillraceError("BAD_RECORD", `The result cannot be written as JSON: ${made.problem}.`, made);
}
