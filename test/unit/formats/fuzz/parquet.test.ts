import { expect, it } from "vitest";
import { golden } from "../../../fixtures/formats/format-files.ts";
import { fuzzCount, fuzzLater, fuzzTimeoutMs } from "../../../fixtures/formats/fuzz.ts";
import { watchAllocations } from "../../../fixtures/formats/watch-allocations.ts";

const watch = watchAllocations();
const { toByteSource } = await import("../../../../src/formats/byte-source.ts");
const { readParquet } = await import("../../../../src/formats/parquet/read-parquet.ts");
const { encodeParquet } = await import("../../../../src/formats/parquet/encode-parquet.ts");

it("reads damaged files or refuses them, and never allocates what a header promises", {
  timeout: fuzzTimeoutMs,
}, async () => {
  const columns = [
    { name: "id", type: "string" },
    { name: "n", type: "int64", nullable: true },
    { name: "v", type: "list<float32>" },
  ] as const;
  const rows = [0, 1, 2, 3].map((i) => ({ id: `u${i}`, n: i === 2 ? null : i, v: [i, i + 0.5] }));
  const small = await encodeParquet(rows, { columns, rowsPerGroup: 3 });
  const large = ["snappy", "gzip", "plain"].map((name) => golden(`parquet/${name}.parquet`));
  // Mostly the small one: the library takes several times as long for the others.
  const inputs = [...Array.from({ length: 9 }, () => small), ...large];
  const read = async (input: Uint8Array): Promise<void> => {
    const source = toByteSource(input, "damaged.bin");
    for await (const row of readParquet(source, { maxGroupRows: 1000 })) if (row["id"] === 0) expect.fail("no text");
  };
  // A group has up to maxGroupRows values without bytes for each; every page of gzip makes a state of zlib, twice.
  const result = await fuzzLater(read, { inputs, count: fuzzCount(100_000), watch, constantBytes: 1 << 21 });
  expect(result.read).toBeGreaterThan(100);
  expect(result.refused).toBeGreaterThan(1000);
});
