import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openFileSource } from "../../../src/formats/file-source.ts";
import { openArkWriter } from "../../../src/formats/kaldi/open-ark-writer.ts";
import { openScp } from "../../../src/formats/kaldi/open-scp.ts";
import { type NdArray, ndArray } from "../../../src/formats/nd-array.ts";
import { NpyAppender } from "../../../src/formats/npy/npy-appender.ts";
import { encodeNpz, NpzWriter } from "../../../src/formats/npy/npz-writer.ts";
import { openNpz } from "../../../src/formats/npy/open-npz.ts";
import { readNpy } from "../../../src/formats/npy/read-npy.ts";
import { encodeSafetensors } from "../../../src/formats/safetensors/encode-safetensors.ts";
import { openSafetensors } from "../../../src/formats/safetensors/safetensors-file.ts";
import { openWebDatasetWriter } from "../../../src/formats/tar/web-dataset-file.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const array: NdArray<"float32"> = ndArray("float32", Float32Array.of(1, 2));

describe("what is left by `using`", () => {
  it("is an archive of Kaldi with all its entries, and its list", () => {
    const [ark, scp] = ["a.ark", "a.scp"].map((name) => join(temporaryFolder(), name)) as [string, string];
    {
      using writer = openArkWriter(ark, { scp });
      writer.write("utt1", array);
    }
    using table = openScp(scp);
    expect(table.get("utt1")).toEqual(array);
  });

  it("is an npy file that knows its rows, also after an error", () => {
    const path = join(temporaryFolder(), "rows.npy");
    expect(() => {
      using rows = new NpyAppender(path, { dtype: "float32", rowShape: [2] });
      rows.append(array);
      throw new Error("no more rows");
    }).toThrow("no more rows");
    expect(readNpy(path).shape).toEqual([1, 2]);
  });

  it("is a whole npz file", async () => {
    const path = join(temporaryFolder(), "a.npz");
    {
      await using writer = new NpzWriter(path);
      writer.add("x", array);
    }
    using npz = openNpz(path);
    expect(npz.get("x")).toEqual(array);
  });

  it("are the shards of a WebDataset under their names", () => {
    const folder = temporaryFolder();
    {
      using writer = openWebDatasetWriter(folder);
      writer.write({ __key__: "a", txt: Buffer.from("b") });
    }
    expect(existsSync(join(folder, "shard-000000.tar"))).toBe(true);
  });

  // Each opens a file that holds these bytes, and reads from it.
  const readers: Readonly<Record<string, readonly [bytes: Uint8Array, open: (path: string) => Opened]>> = {
    openFileSource: [
      Buffer.from("1234"),
      (path) => {
        const file = openFileSource(path);
        return { file, read: () => file.read(0, 2) };
      },
    ],
    openNpz: [
      encodeNpz({ x: array }),
      (path) => {
        const file = openNpz(path);
        return { file, read: () => file.get("x") };
      },
    ],
    openSafetensors: [
      encodeSafetensors([["x", array]]),
      (path) => {
        const file = openSafetensors(path);
        return { file, read: () => file.read("x") };
      },
    ],
  };

  it.each(Object.entries(readers))("is no open file of %s, which may be closed before", (_name, [bytes, open]) => {
    const path = join(temporaryFolder(), "file");
    writeFileSync(path, bytes);
    const { file, read } = open(path);
    {
      using inner = file;
      read();
      inner.close();
    }
    expect(read).toThrow(/it was closed before/);
  });
});

interface Opened {
  readonly file: Disposable & { close(): void };
  readonly read: () => unknown;
}
