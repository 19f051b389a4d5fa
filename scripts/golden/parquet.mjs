// Makes test/golden/formats/parquet with Arrow's Rust library (parquet-wasm), so that the reader is tested with files
// of another implementation. The files are committed. Run it in the root of the repository: node
// scripts/golden/parquet.mjs
import { mkdirSync, writeFileSync } from "node:fs";
import {
  Binary,
  Bool,
  Field,
  Float32,
  Float64,
  Int32,
  Int64,
  List,
  Table,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { Compression, Table as WasmTable, WriterPropertiesBuilder, WriterVersion, writeParquet } from "parquet-wasm";

const folder = "test/golden/formats/parquet";
const count = 12;
const numbers = Array.from({ length: count }, (_, i) => i);
const columns = {
  utt: vectorFromArray(
    numbers.map((i) => `utt${i % 3}-ä`),
    new Utf8(),
  ),
  frames: vectorFromArray(numbers, new Int32()),
  total: vectorFromArray(
    numbers.map((i) => 2n ** 40n * BigInt(i)),
    new Int64(),
  ),
  score: vectorFromArray(
    numbers.map((i) => (i % 4 === 3 ? null : i / 3)),
    new Float64(),
  ),
  kept: vectorFromArray(
    numbers.map((i) => i % 2 === 0),
    new Bool(),
  ),
  emb: vectorFromArray(
    numbers.map((i) => (i === 5 ? null : numbers.slice(0, i % 4).map((j) => j + 0.5))),
    new List(new Field("element", new Float32(), false)),
  ),
  audio: vectorFromArray(
    numbers.map((i) => new Uint8Array(i).fill(255)),
    new Binary(),
  ),
};
const codecs = {
  plain: Compression.UNCOMPRESSED,
  snappy: Compression.SNAPPY,
  gzip: Compression.GZIP,
  zstd: Compression.ZSTD,
};

mkdirSync(folder, { recursive: true });
for (const [name, codec] of Object.entries(codecs)) {
  const properties = new WriterPropertiesBuilder()
    .setCompression(codec)
    .setMaxRowGroupSize(5)
    .setWriterVersion(name === "gzip" ? WriterVersion.V2 : WriterVersion.V1)
    .setDictionaryEnabled(name !== "plain")
    .build();
  const table = WasmTable.fromIPCStream(tableToIPC(new Table(columns), "stream"));
  writeFileSync(`${folder}/${name}.parquet`, writeParquet(table, properties));
}
