import { expect, it } from "vitest";
import { golden } from "../../../fixtures/formats/format-files.ts";
import { fuzz, fuzzCount, fuzzTimeoutMs } from "../../../fixtures/formats/fuzz.ts";
import { watchAllocations } from "../../../fixtures/formats/watch-allocations.ts";

const watch = watchAllocations();
const { toByteSource } = await import("../../../../src/formats/byte-source.ts");
const { readSafetensors } = await import("../../../../src/formats/safetensors/read-tensor.ts");

it("reads damaged files or refuses them, and never allocates what a header promises", {
  timeout: fuzzTimeoutMs,
}, () => {
  const read = (input: Uint8Array): void => {
    const file = readSafetensors(toByteSource(input, "damaged.bin"));
    for (const { name, type } of file.tensors.values()) {
      if (type.startsWith("F8") || type.startsWith("F4") || type.startsWith("F6") || type === "C64")
        file.readBytes(name);
      else file.read(name);
    }
  };
  const inputs = [golden("safetensors/all.safetensors")];
  const result = fuzz(read, { inputs, count: fuzzCount(100_000), watch });
  expect(result.read).toBeGreaterThan(1000);
  expect(result.refused).toBeGreaterThan(1000);
});
