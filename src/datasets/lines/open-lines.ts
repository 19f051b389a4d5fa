import { crcText } from "../../bytes/crc32.ts";
import { MillraceError } from "../../errors/errors.ts";
import { compressionOfBytes } from "../../formats/lines/compression.ts";
import { describeKind } from "../../values/state-json.ts";
import { makeDataset, makeLocalDataset } from "../core/make-dataset.ts";
import type { Dataset, LocalDataset } from "../dataset.ts";
import type { IndexFile } from "../index/index-file.ts";
import { openIndex } from "../index/kept-index.ts";
import { gzipText } from "../packed/gzip-text.ts";
import type { PackedText } from "../packed/packed-text.ts";
import { zstdText } from "../packed/zstd-text.ts";
import type { ByteStore } from "../source/byte-store.ts";
import { openStore } from "../source/open-store.ts";
import { isRemote } from "../source/remote-address.ts";
import { storeChunks } from "../source/store-chunks.ts";
import { indexLines } from "./index-lines.ts";
import { type LineReading, LineRows } from "./line-rows.ts";
import type { BlankLines } from "./scan-chunk.ts";

/** What all formats of lines have in common. */
export interface LinesOptions {
  /** Where the index is kept. Default: beside the file, or in the cache folder if that is not writable. */
  readonly indexDir?: string;
  /** The maximum length of a line in bytes. Default: 64 MiB. */
  readonly maxLineBytes?: number;
}

/** How the rows of a format are found and read. */
export interface LineFormat<Row> {
  /** The name of the format in digests. */
  readonly format: string;
  readonly hasQuotes: boolean;
  readonly blank: BlankLines;
  /** Made once the text is open: the header of a table is its first line. */
  readonly prepare: (text: ByteStore, first: Buffer) => PreparedLines<Row>;
  readonly options: LinesOptions;
}

interface PreparedLines<Row> extends LineReading<Row> {
  readonly idOf?: ((row: Row, index: number) => string) | undefined;
}

const usualMaxLineBytes = 64 * 2 ** 20;

/** Opens a file whose rows are lines, plain or compressed. */
export async function openLines<Row>(path: string, format: LineFormat<Row>): Promise<Dataset<Row>> {
  const store = await openStore(path);
  let index: IndexFile | undefined;
  try {
    const packed = packedBy(await store.read(0, Math.min(4, store.size)));
    index = await openLineIndex(store, packed, format);
    const text = packed === undefined ? store : packed.open(store, index);
    return datasetOf(text, index, { format, prepared: await prepare(text, index, format), isLocal: !isRemote(path) });
  } catch (error) {
    index?.close();
    await store.close();
    throw error;
  }
}

function packedBy(start: Buffer): PackedText | undefined {
  const compression = compressionOfBytes(start);
  if (compression === "none") return undefined;
  return compression === "gzip" ? gzipText : zstdText;
}

function openLineIndex(
  store: ByteStore,
  packed: PackedText | undefined,
  { hasQuotes, blank, options }: Pick<LineFormat<unknown>, "hasQuotes" | "blank" | "options">,
) {
  const { maxLineBytes = usualMaxLineBytes, indexDir } = options;
  if (!(Number.isSafeInteger(maxLineBytes) && maxLineBytes > 0)) {
    throw new MillraceError(
      "BAD_OPTION",
      `maxLineBytes is ${describeKind(maxLineBytes)}; a number of bytes was expected.`,
      {
        hint: "Give a whole number from 1, or leave it out for 64 MiB.",
      },
    );
  }
  return openIndex({
    store,
    rules: hasQuotes ? "quoted table" : blank === "empty" ? "table" : "lines",
    indexDir,
    build: async (writer, subject) => {
      const parts = packed?.unpack(store, writer);
      const plainFile = parts === undefined && !isRemote(store.name) ? store : undefined;
      const chunks = parts?.chunks ?? (() => storeChunks(store));
      const text = await indexLines(
        writer,
        { name: store.name, chunks, plainFile },
        { maxLineBytes, hasQuotes, blank },
      );
      writer.finish(text.textBytes, { subject, ...text, restarts: parts?.restarts() });
    },
  });
}

async function prepare<Row>(text: ByteStore, index: IndexFile, format: LineFormat<Row>): Promise<PreparedLines<Row>> {
  const { rows, footer } = index;
  const page = rows === 0 ? undefined : index.readPage(0);
  const start = page?.base ?? 0;
  const end = page === undefined ? 0 : page.offsets.length > 0 ? page.offsets[1]! : start + page.lengths[0]!;
  return format.prepare(text, await text.read(start, Math.min(end, footer.textBytes) - start));
}

function datasetOf<Row>(
  text: ByteStore,
  index: IndexFile,
  about: { format: LineFormat<Row>; prepared: PreparedLines<Row>; isLocal: boolean },
): Dataset<Row> | LocalDataset<Row> {
  const { prepared, format, isLocal } = about;
  const rows = new LineRows(text, index, prepared);
  const { crc, textBytes } = index.footer;
  const { idOf } = prepared;
  const source = {
    name: text.name,
    length: rows.length,
    // Of the text, not of the file: a compressed copy has the same rows.
    digest: `${format.format} ${rows.length} rows, ${textBytes} bytes, crc32 ${crcText(crc)}`,
    readRows: (indices: readonly number[]) => rows.readMany(indices),
    async close() {
      index.close();
      await text.close();
    },
  };
  if (!isLocal) {
    return makeDataset<Row>({
      ...source,
      readRow: (row) => rows.read(row),
      ...(idOf === undefined ? {} : { readId: async (row: number) => idOf(await rows.read(row), row) }),
    });
  }
  const readRow = (row: number) => rows.readNow(row);
  const fill = text.fill?.bind(text);
  return makeLocalDataset<Row>({
    ...source,
    readRow,
    ...(fill === undefined ? {} : { readRuns: (from: number, end: number) => rows.readRuns(fill, from, end) }),
    ...(idOf === undefined ? {} : { readId: (row: number) => idOf(readRow(row), row) }),
  });
}
