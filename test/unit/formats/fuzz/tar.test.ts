import { expect, it } from "vitest";
import { golden } from "../../../fixtures/formats/format-files.ts";
import { fuzz, fuzzCount, fuzzTimeoutMs } from "../../../fixtures/formats/fuzz.ts";
import { watchAllocations } from "../../../fixtures/formats/watch-allocations.ts";

const watch = watchAllocations();
const { toByteSource } = await import("../../../../src/formats/byte-source.ts");
const { readWebDataset } = await import("../../../../src/formats/tar/read-web-dataset.ts");
const { encodeWebDatasetSample } = await import("../../../../src/formats/tar/encode-web-dataset-sample.ts");
const { sumHeader } = await import("../../../../src/formats/tar/tar-layout.ts");

const own = Buffer.concat([
  encodeWebDatasetSample({ __key__: "ünï", json: { a: 1 }, wav: new Uint8Array(20) }),
  encodeWebDatasetSample({ __key__: "b", txt: "hello" }),
  new Uint8Array(1024),
]);

/** Makes the checksums right again, so that what is behind them is reached. */
function mend(input: Uint8Array): Uint8Array {
  const bytes = Buffer.from(input);
  for (let at = 0; at + 512 <= bytes.length; at += 512) {
    const block = bytes.subarray(at, at + 512);
    if (block.toString("latin1", 257, 262) !== "ustar") continue;
    block.write(`${sumHeader(block).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  }
  return bytes;
}

it("reads damaged shards or refuses them, and never allocates what a header promises", {
  timeout: fuzzTimeoutMs,
}, () => {
  let odd = false;
  const read = (input: Uint8Array): void => {
    odd = !odd;
    const source = toByteSource(odd ? mend(input) : input, "damaged.bin");
    for (const { __key__ } of readWebDataset(source, { decode: odd })) if (__key__ === "") expect.fail("no key");
  };
  const inputs = [own, golden("tar/python-gnu.tar").subarray(0, 2048), golden("tar/python-pax.tar").subarray(0, 4096)];
  const result = fuzz(read, { inputs, count: fuzzCount(100_000), watch });
  expect(result.read).toBeGreaterThan(1000);
  expect(result.refused).toBeGreaterThan(1000);
});
