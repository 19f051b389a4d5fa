// What millrace writes, torch.load opens, with and without weights_only, and what torch.save wrote, millrace reads.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isNdArray, type NdArray, type NumberArray, ndArray } from "../../src/formats/nd-array.ts";
import { encodePt } from "../../src/formats/pt/encode-pt.ts";
import type { PtInput, PtValue } from "../../src/formats/pt/pt-value.ts";
import { readPt } from "../../src/formats/pt/read-pt.ts";
import { ptText } from "../support/formats/golden.ts";
import { askPython, pythonWith } from "../support/formats/python.ts";
import { arrays } from "../support/formats/random-arrays.ts";
import { sharedPath } from "../support/shared-path.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const python = pythonWith("torch");

/** What PyTorch says is in the files of these values: with each loader, in one process, because its start takes long. */
function askTorch(values: readonly PtInput[], loaders: readonly boolean[]): unknown[] {
  const folder = temporaryFolder();
  const paths = values.map((value, i) => {
    const path = join(folder, `${i}.pt`);
    writeFileSync(path, encodePt(value));
    return path;
  });
  const questions = loaders.flatMap((weightsOnly) =>
    paths.map((path) => ({ kind: "pt", path, weights_only: weightsOnly })),
  );
  return askPython(python!, questions);
}

describe.skipIf(python === undefined)("PyTorch (skipped where it is not installed)", () => {
  it("loads one tensor of any type and shape, with weights_only and without", () => {
    const samples = fc.sample(arrays(["uint16", "uint32", "uint64"]), 300);
    const vectors = [1, 2, 3].map((fill) => ndArray("float32", new Float32Array(192).fill(fill)));
    const all: NdArray[] = [...samples, ...vectors];
    const texts = all.map(ptText);
    expect(askTorch(all, [true, false])).toEqual([...texts, ...texts]);
  });

  it("loads nested values, with weights_only and without", () => {
    const vector = ndArray("float32", new Float32Array([1, 2, 3]));
    const value = new Map<string | number, PtInput>([
      ["vector", vector],
      ["again", vector],
      ["half", ndArray("bfloat16", new Uint16Array([0x3f80]))],
      ["text", "ünïcode 😀"],
      [
        "list",
        [1, -1, 255, 256, 65_536, -(2 ** 31), 2 ** 40, 2n ** 80n, -(2n ** 80n), true, false, null, [], [[vector]]],
      ],
      ["empty", new Map()],
      [7, new Map([["deep", vector]])],
    ]);
    const many = new Map(
      Array.from({ length: 3000 }, (_, i) => [`utt${i}`, ndArray("float32", new Float32Array([i]))]),
    );
    const texts = [value, many].map((entry) => ptText(entry as PtValue));
    expect(askTorch([value, many], [true, false])).toEqual([...texts, ...texts]);
  });

  it("loads floats beside tensors (the restricted loader of PyTorch 1.13 knows none)", () => {
    const value = [0.5, -1e-300, 1e300];
    expect(askTorch([value], [false])).toEqual([ptText(value)]);
  });
});

interface Expected {
  readonly shape?: readonly number[];
  readonly values_c_order?: readonly number[];
}

const reference = sharedPath("data", "formats", "pt");

describe.skipIf(reference === undefined)("reference files (skipped where the shared data is not there)", () => {
  const folder = reference ?? "";
  const mustRefuse = /^(bad|must_refuse)_/;
  const numbers = (data: NumberArray) => Array.from(data as Float64Array, Number);

  it("of PyTorch have the shapes and numbers that their index says", () => {
    const { files } = JSON.parse(readFileSync(join(folder, "index.json"), "utf8")) as {
      files: Record<string, Expected>;
    };
    let read = 0;
    for (const [name, { shape, values_c_order: values }] of Object.entries(files)) {
      if (mustRefuse.test(name)) continue;
      const value = readPt(join(folder, name));
      if (!isNdArray(value)) continue;
      read++;
      expect(value.shape, name).toEqual(shape);
      // Half precision is kept as its bits.
      if (value.dtype !== "float16" && value.dtype !== "bfloat16")
        expect(numbers(value.data), name).toEqual(values?.map(Number));
    }
    expect(read).toBeGreaterThan(8);
  });

  it("are all read or refused by name", () => {
    for (const name of readdirSync(folder).filter((entry) => entry.endsWith(".pt"))) {
      if (mustRefuse.test(name)) expect(() => readPt(join(folder, name))).toThrow(new RegExp(`${name}, offset \\d+: `));
      else expect(() => readPt(join(folder, name))).not.toThrow();
    }
  });
});
