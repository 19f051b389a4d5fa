import { isNdArray } from "../../../src/formats/nd-array.ts";
import { decodeNpy } from "../../../src/formats/npy/decode-npy.ts";
import { decodeNpz, openNpz } from "../../../src/formats/npy/open-npz.ts";
import { readNpy } from "../../../src/formats/npy/read-npy.ts";
import { readNpyHeader } from "../../../src/formats/npy/read-npy-header.ts";
import { readSafetensors, type Safetensors } from "../../../src/formats/safetensors/read-tensor.ts";
import { openSafetensors } from "../../../src/formats/safetensors/safetensors-file.ts";
import { golden } from "../../support/formats/format-files.ts";
import { goldenFiles } from "../../support/formats/golden.ts";
import { deflatedZeros, mutateEntries } from "../mutate-archive.ts";
import { textMutators } from "../mutate-text.ts";
import { readEither, sourceOf } from "../read-either.ts";
import { type Mutator, modest, placed, type Reader, WrongValue } from "../reader.ts";

/** The golden files of a kind that are read, not refused. */
export function honestFiles(kind: "npy" | "npz" | "zip" | "pt"): Buffer[] {
  const files = goldenFiles<{ readonly refused?: string }>(kind);
  return files.filter(({ holds }) => holds.refused === undefined).map(({ bytes }) => bytes);
}

/** Changes the text of a header and corrects its length, which is before it. */
function headerMutator({ at, width }: { readonly at: number; readonly width: number }): Mutator {
  return (bytes, random) => {
    if (bytes.length < at + width) return bytes;
    const start = at + width;
    const end = Math.min(bytes.length, start + bytes.readUIntLE(at, Math.min(width, 6)));
    const header = Buffer.from(bytes.subarray(start, end));
    if (header.length === 0) return bytes;
    const changed = random.pick(textMutators)(header, random);
    const before = Buffer.from(bytes.subarray(0, start));
    before.writeUIntLE(changed.length % 256 ** Math.min(width, 6), at, Math.min(width, 6));
    return Buffer.concat([before, changed, bytes.subarray(end)]);
  };
}

const npyHeader: Mutator = headerMutator({ at: 8, width: 2 });

/** Refuses an array whose shape is not that of its data. */
export function checkArray(value: unknown): void {
  if (!isNdArray(value)) return;
  const count = value.shape.reduce((a, b) => a * b, 1);
  const parts = value.dtype.startsWith("complex") ? 2 : 1;
  if (value.data.length !== count * parts) throw new WrongValue(`shape ${value.shape}, ${value.data.length} numbers`);
}

export const npy: Reader = {
  covers: ["decodeNpy", "readNpy", "readNpyHeader"],
  seeds: () => honestFiles("npy"),
  mutators: [npyHeader],
  named: placed,
  memory: modest,
  read: (input) => {
    readNpyHeader(sourceOf(input));
    checkArray(readEither(input, decodeNpy, readNpy));
  },
};

export const npz: Reader = {
  covers: ["decodeNpz", "openNpz"],
  seeds: () => honestFiles("npz"),
  bombs: [() => deflatedZeros("a.npy")],
  mutators: [mutateEntries(npyHeader)],
  named: placed,
  memory: { constantBytes: 8 << 20, perByte: 1100 },
  read: (input) => {
    const all = (file: ReturnType<typeof decodeNpz>): void => {
      for (const name of file.names) checkArray(file.get(name));
    };
    readEither(
      input,
      (source) => all(decodeNpz(source)),
      (path) => {
        const file = openNpz(path);
        try {
          all(file);
        } finally {
          file.close();
        }
      },
    );
  },
};

function readAllTensors(file: Safetensors): void {
  for (const { name, type } of file.tensors.values()) {
    file.readBytes(name);
    if (!/^(?:F8|F6|F4|C64)/.test(type)) checkArray(file.read(name));
  }
}

export const safetensors: Reader = {
  covers: ["readSafetensors", "openSafetensors"],
  seeds: () => [golden("safetensors/all.safetensors")],
  mutators: [headerMutator({ at: 0, width: 8 })],
  memory: { constantBytes: 1 << 20, perByte: 32 },
  read: (input) =>
    readEither(
      input,
      (source) => readAllTensors(readSafetensors(source)),
      (path) => {
        const file = openSafetensors(path);
        try {
          readAllTensors(file);
        } finally {
          file.close();
        }
      },
    ),
};
