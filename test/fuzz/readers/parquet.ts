import * as zlib from "node:zlib";
import { ByteWriter, type ColumnSource, parquetWrite } from "hyparquet-writer";
import { encodeParquet } from "../../../src/formats/parquet/encode-parquet.ts";
import { readParquetFile } from "../../../src/formats/parquet/parquet-file.ts";
import { readParquet } from "../../../src/formats/parquet/read-parquet.ts";
import { golden } from "../../support/formats/format-files.ts";
import { byteMutators } from "../mutate-bytes.ts";
import type { Random } from "../random.ts";
import { sourceOf } from "../read-either.ts";
import { type Mutator, type Reader, WrongValue } from "../reader.ts";

const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: (bytes: Uint8Array) => Uint8Array };
const brotli = (bytes: Uint8Array): Uint8Array =>
  zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } });

type Compressors = Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>>;

const compressors: Compressors = {
  GZIP: (bytes) => zlib.gzipSync(bytes, { level: 1 }),
  BROTLI: brotli,
  ...(zstdCompressSync && { ZSTD: zstdCompressSync }),
};
type Codec = "UNCOMPRESSED" | "SNAPPY" | "GZIP" | "BROTLI" | "ZSTD";
const codecs: readonly Codec[] = [
  "UNCOMPRESSED",
  "SNAPPY",
  "GZIP",
  "BROTLI",
  ...(zstdCompressSync === undefined ? [] : (["ZSTD"] as const)),
];

const columnData: ColumnSource[] = [
  { name: "id", data: ["a", "b", "a", "c"], type: "STRING" },
  { name: "n", data: [1, null, 3, 4], type: "INT32", nullable: true },
  { name: "d", data: [1.5, 2.5, Number.NaN, -1], type: "DOUBLE" },
  { name: "t", data: [true, false, true, true], type: "BOOLEAN" },
];

/** A file with pages as a codec packs them, or as `change` leaves them before or behind it. */
function write(codec: Codec, change: (packed: Uint8Array) => Uint8Array = (bytes) => bytes, data = columnData): Buffer {
  const pack = compressors[codec];
  const writer = new ByteWriter();
  const changed: Compressors =
    codec === "SNAPPY" || codec === "UNCOMPRESSED" ? {} : { [codec]: (bytes: Uint8Array) => change(pack!(bytes)) };
  parquetWrite({ writer, columnData: data, codec, compressors: changed });
  return Buffer.from(writer.getBytes());
}

const ownFile = async (): Promise<Uint8Array> => {
  const rows = [0, 1, 2, 3].map((i) => ({ id: `u${i}`, n: i === 2 ? null : i, v: [i, i + 0.5] }));
  const columns = [
    { name: "id", type: "string" },
    { name: "n", type: "int64", nullable: true },
    { name: "v", type: "list<float32>" },
  ] as const;
  return encodeParquet(rows, { columns, rowsPerGroup: 3 });
};

/** Changes the footer, or what is before it, and corrects the footer's length. */
const mutateParts: Mutator = (bytes, random) => {
  if (bytes.length < 12) return bytes;
  const length = Math.min(bytes.readUInt32LE(bytes.length - 8), bytes.length - 8);
  const at = bytes.length - 8 - length;
  let [body, footer]: [Buffer, Buffer] = [Buffer.from(bytes.subarray(0, at)), Buffer.from(bytes.subarray(at, -8))];
  const inFooter = random.chance(0.7) && footer.length > 0;
  const change = random.pick(byteMutators);
  if (inFooter) footer = change(footer, random);
  else if (body.length > 0) body = change(body, random);
  const end = Buffer.from(bytes.subarray(-8));
  end.writeUInt32LE(footer.length, 0);
  return Buffer.concat([body, footer, end]);
};

/** A file whose pages were changed behind the codec, so that what is packed is damaged and the headers fit. */
const mutatePages: Mutator = (_bytes, random) => {
  const change = (page: Uint8Array): Uint8Array => {
    if (page.length === 0 || random.chance(0.5)) return page;
    return random.chance(0.2) ? otherPage(random) : random.pick(byteMutators)(Buffer.from(page), random);
  };
  return write(random.pick(codecs), change);
};

const packedZeros = new Map<string, Uint8Array>();

function otherPage(random: Random): Uint8Array {
  const codec = random.pick(["GZIP", "BROTLI"] as const);
  const size = random.pick([0, 1, 1 << 16, 16 << 20]);
  const key = `${codec} ${size}`;
  const page = packedZeros.get(key) ?? compressors[codec]!(Buffer.alloc(size));
  packedZeros.set(key, page);
  return page;
}

const bombBytes = 256 << 20;

/** One value of zeros, which a good codec makes a few hundred bytes of. */
const zeros = (codec: Codec): Buffer =>
  write(codec, undefined, [{ name: "id", data: [new Uint8Array(bombBytes)], type: "BYTE_ARRAY", encoding: "PLAIN" }]);

/** Many rows that are all the same: a few bytes in the file. */
const sameRows = (codec: Codec, count: number): Buffer =>
  write(codec, undefined, [{ name: "id", data: Array.from({ length: count }, () => "the same"), type: "STRING" }]);

const read: Reader["read"] = async (input) => {
  const { random, isPlain } = input;
  const options = isPlain || random.chance(0.5) ? {} : { maxGroupRows: 1000 };
  const rows = random.chance(1 / 16) ? readParquetFile(input.file(), options) : readParquet(sourceOf(input), options);
  for await (const row of rows) if (row["id"] === undefined && row["utt"] === undefined) checkRow(row);
};

function checkRow(row: Record<string, unknown>): void {
  if (Object.values(row).includes(undefined)) throw new WrongValue("a column without a value");
}

export const parquet: Reader = {
  covers: ["readParquet", "readParquetFile"],
  seeds: async () => [
    await ownFile(),
    ...codecs.map((codec) => write(codec)),
    ...["snappy", "gzip", "plain"].map((name) => golden(`parquet/${name}.parquet`)),
  ],
  bombs: [
    () => zeros("GZIP"),
    () => zeros("BROTLI"),
    ...(zstdCompressSync === undefined ? [] : [() => zeros("ZSTD")]),
    () => sameRows("SNAPPY", 500_000),
    () => sameRows("BROTLI", 500_000),
  ],
  mutators: [mutateParts, mutateParts, mutateParts, mutatePages],
  read,
};
