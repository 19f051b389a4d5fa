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
  const inputs = [
    small,
    golden("parquet/snappy.parquet"),
    golden("parquet/gzip.parquet"),
    golden("parquet/plain.parquet"),
  ];
  const read = async (input: Uint8Array): Promise<void> => {
    const source = toByteSource(input, "damaged.bin");
    for await (const row of readParquet(source, { maxGroupRows: 1000 })) if (row["id"] === 0) expect.fail("no text");
  };
  // Ten thousand and not a hundred thousand: the library takes half a millisecond for each.
  // What is compressed may grow; a group has up to maxGroupRows values without bytes for each.
  const mostBytes = (input: Uint8Array): number => 64 * input.length + 8 * 1000 + 65_536;
  const result = await fuzzLater(read, { inputs, count: fuzzCount(10_000), watch, mostBytes });
  expect(result.read).toBeGreaterThan(100);
  expect(result.refused).toBeGreaterThan(1000);
});
