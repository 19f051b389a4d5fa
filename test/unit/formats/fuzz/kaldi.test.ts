import { expect, it } from "vitest";
import { golden } from "../../../fixtures/formats/format-files.ts";
import { fuzz, fuzzCount, fuzzTimeoutMs } from "../../../fixtures/formats/fuzz.ts";
import { watchAllocations } from "../../../fixtures/formats/watch-allocations.ts";

const watch = watchAllocations();
const { toByteSource } = await import("../../../../src/formats/byte-source.ts");
const { readArk } = await import("../../../../src/formats/kaldi/read-ark.ts");
const { readKaldiValue } = await import("../../../../src/formats/kaldi/read-kaldi-value.ts");
const { parseScp } = await import("../../../../src/formats/kaldi/parse-scp.ts");

const binary = Buffer.from(golden("kaldi/binary.ark"));
const text = golden("kaldi/text.ark");

// The compressed ones, from their first key on; what stands before them holds one of each other kind.
const compressedStart = binary.indexOf("cm-short");
const archives = {
  binary: [binary.subarray(0, compressedStart), binary.subarray(0, 60)],
  compressed: [binary.subarray(compressedStart), binary.subarray(compressedStart, compressedStart + 60)],
  text: [text, text.subarray(0, 120)],
};

it.each(Object.entries(archives))(
  "reads damaged archives (%s) or refuses them, and never allocates what a header promises",
  { timeout: fuzzTimeoutMs },
  (_kind, inputs) => {
    const read = (input: Uint8Array): void => {
      for (const { value } of readArk(toByteSource(input, "damaged.bin"))) {
        if (value.data.length !== value.shape.reduce((a, b) => a * b, 1))
          expect.fail("the shape is not that of the data");
      }
    };
    const result = fuzz(read, { inputs, count: fuzzCount(100_000), watch });
    expect(result.read).toBeGreaterThan(1000);
    expect(result.refused).toBeGreaterThan(1000);
  },
);

it("reads damaged single values at any offset or refuses them", { timeout: fuzzTimeoutMs }, () => {
  const count = fuzzCount(100_000);
  let offset = 0;
  const read = (input: Uint8Array): void => {
    offset = (offset * 31 + 7) % 97;
    readKaldiValue(toByteSource(input, "damaged.bin"), offset);
  };
  expect(fuzz(read, { inputs: [binary.subarray(3), text], count, watch }).refused).toBeGreaterThan(1000);
});

it("reads damaged scp lists or refuses them", { timeout: fuzzTimeoutMs }, () => {
  const list = Buffer.from("utt1 a.ark:12\nutt2 /b/ü.ark:99[0:9,2:3]\nutt3 plain.mat\nutt4 c.ark:1[:,0:1]\n");
  const read = (input: Uint8Array): void => {
    for (const { path } of parseScp(toByteSource(input, "damaged.bin"))) {
      if (/^\||\|$/.test(path)) expect.fail(`took the command ${path}`);
    }
  };
  const result = fuzz(read, { inputs: [list], count: fuzzCount(100_000), watch });
  expect(result.read).toBeGreaterThan(1000);
  expect(result.refused).toBeGreaterThan(1000);
});
