import { ndArray } from "../../../src/formats/nd-array.ts";
import { encodeNpz } from "../../../src/formats/npy/npz-writer.ts";
import { readCmvnStats } from "../../../src/recipes/collect-stats/global-cmvn-file.ts";
import { mutateEntries } from "../mutate-archive.ts";
import { byteMutators } from "../mutate-bytes.ts";
import type { Mutator, Reader } from "../reader.ts";

const anyMutator: Mutator = (bytes, random) => (bytes.length === 0 ? bytes : random.pick(byteMutators)(bytes, random));

export const cmvnStats: Reader = {
  covers: ["readCmvnStats"],
  seeds: () => [
    encodeNpz({
      count: ndArray("int64", BigInt64Array.of(2n), []),
      sum: ndArray("float64", Float64Array.of(1, 2), [2]),
      sum_square: ndArray("float64", Float64Array.of(1, 4), [2]),
    }),
  ],
  mutators: [mutateEntries(anyMutator)],
  memory: { constantBytes: 8 << 20, perByte: 1100 },
  read: (input) => readCmvnStats(input.file()),
};
