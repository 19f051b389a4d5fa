import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type NdArray, openNpz, openSafetensors, openScp, readNpy, readParquetFile, readPt } from "millrace/formats";
import { extractXVectors, XVectorProvider, XVectorRunner } from "millrace/recipes";
import { describe, expect, it } from "vitest";
import { pythonWith } from "../support/formats/python.ts";
import { makeVoices } from "../support/recipes/voices.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const quiet = { progress: false } as const;

function builtin(folder: string, more: object = {}) {
  const manifest = join(folder, "manifest.tsv");
  return {
    xvector: { toolkit: "builtin", save_path: join(folder, "out"), manifest_paths: { train: manifest }, ...more },
  } as const;
}

function vectorOf(path: string): Float32Array {
  const { data, dtype, shape } = readPt(path) as { data: Float32Array; dtype: string; shape: number[] };
  expect([dtype, shape]).toEqual(["float32", [46]]);
  return data;
}

async function rowsOf(path: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for await (const row of readParquetFile(path)) rows.push(row);
  return rows;
}

describe("extractXVectors", () => {
  it("writes a tensor for each utterance and each speaker, an index and a report, and distinguishes speakers", async () => {
    const folder = temporaryFolder();
    makeVoices(folder, { speakers: 3, utterances: 4 });
    const [summary] = await extractXVectors(builtin(folder), quiet);
    const root = join(folder, "out", "spk_embed");
    expect(summary).toEqual({
      split: "train",
      written: 12,
      failed: 0,
      dimension: 46,
      speakers: 3,
      seconds: expect.closeTo(7.2, 6),
      eer: { eer: 0, threshold: expect.any(Number) },
      vectors: join(root, "train"),
      index: join(root, "index", "train.tsv"),
      failures: undefined,
      report: join(root, "report", "train.html"),
    });
    expect(readdirSync(join(root, "train"))).toHaveLength(12);
    const vectors = [0, 1, 2, 3].map((i) => vectorOf(join(root, "train", `s1-u${i}.pt`)));
    const mean = vectorOf(join(root, "spk_mean", "train", "s1.pt"));
    const expected = Array.from(mean, (_, k) => vectors.reduce((sum, vector) => sum + vector[k]! / 4, 0));
    for (const [k, value] of mean.entries()) expect(value).toBeCloseTo(expected[k]!, 6);
    const [header, first] = readFileSync(join(root, "index", "train.tsv"), "utf8").split("\n");
    expect([header, first]).toEqual([
      "utt_id\tspeaker_id\tseconds\tfile\tclipped\twarnings",
      "s0-u0\ts0\t0.6\ttrain/s0-u0.pt\t0\t",
    ]);
    expect(readFileSync(summary!.report!, "utf8")).toContain("0.00 %");
    expect(readdirSync(join(root, "report")).sort()).toEqual([
      "train.cosines.svg",
      "train.durations.svg",
      "train.html",
      "train.map.svg",
    ]);
  });

  it("does nothing again when it is called again, and puts back what was deleted", async () => {
    const folder = temporaryFolder();
    makeVoices(folder, { speakers: 2, utterances: 2 });
    await extractXVectors(builtin(folder), quiet);
    const lost = join(folder, "out", "spk_embed", "train", "s0-u1.pt");
    const bytes = readFileSync(lost);
    rmSync(lost);
    // Without its audio nothing could be computed.
    rmSync(join(folder, "wav"), { recursive: true });
    expect((await extractXVectors(builtin(folder), quiet))[0]).toMatchObject({ written: 4 });
    expect(readFileSync(lost)).toEqual(bytes);
  });

  it("writes npy files, or one file a split in any format, with the same numbers", async () => {
    const folder = temporaryFolder();
    makeVoices(folder, { speakers: 2, utterances: 2 });
    for (const output_format of ["pt", "npy", "npz", "ark", "safetensors", "parquet"])
      await extractXVectors(builtin(folder, { output_format, spk_embed_tag: output_format }), quiet);
    const of = (...names: string[]) => join(folder, "out", ...names);
    const vector = vectorOf(of("pt", "train", "s1-u0.pt"));
    const mean = vectorOf(of("pt", "spk_mean", "train", "s1.pt"));
    const ids = ["s0-u0", "s0-u1", "s1-u0", "s1-u1"];
    expect(readNpy(of("npy", "train", "s1-u0.npy")).data).toEqual(vector);
    for (const [vectors, means] of [
      [openNpz(of("npz", "train.npz")), openNpz(of("npz", "spk_mean", "train.npz"))],
      [openScp(of("ark", "train.scp")), openScp(of("ark", "spk_mean", "train.scp"))],
    ] as const) {
      expect((vectors.get("s1-u0") as NdArray).data).toEqual(vector);
      expect((means.get("s1") as NdArray).data).toEqual(mean);
      vectors.close();
      means.close();
    }
    expect(readFileSync(of("ark", "train.scp"), "utf8").replace(/ .*/g, "")).toBe(`${ids.join("\n")}\n`);
    const tensors = openSafetensors(of("safetensors", "train.safetensors"));
    expect([...tensors.tensors.keys()]).toEqual(ids);
    expect(tensors.read("s1-u0").data).toEqual(vector);
    tensors.close();
    const rows = await rowsOf(of("parquet", "train.parquet"));
    expect(rows[2]).toMatchObject({ utt_id: "s1-u0", speaker_id: "s1", seconds: 0.6 });
    expect(Float32Array.from(rows[2]!["embedding"] as number[])).toEqual(vector);
    const meanRows = await rowsOf(of("parquet", "spk_mean", "train.parquet"));
    expect(meanRows.map((row) => row["speaker_id"])).toEqual(["s0", "s1"]);
    expect(existsSync(of("npz", "train"))).toBe(false);
  });

  it("gives the same vectors however its batches are cut", async () => {
    const folder = temporaryFolder();
    makeVoices(folder, { speakers: 2, utterances: 3 });
    const cuts = {
      one: {},
      four: { batch_size: 4 },
      seconds: { batch_seconds: 1.3 },
      both: { batch_size: 2, batch_seconds: 1 },
    };
    const vectors = new Set<string>();
    for (const [spk_embed_tag, cut] of Object.entries(cuts)) {
      await extractXVectors(builtin(folder, { spk_embed_tag, ...cut }), quiet);
      const of = join(folder, "out", spk_embed_tag, "train");
      vectors.add(
        readdirSync(of)
          .sort()
          .map((name) => readFileSync(join(of, name), "latin1"))
          .join(),
      );
    }
    expect(vectors.size).toBe(1);
  });

  it("keeps ids that could lead elsewhere inside its folder, and notes which file is whose", async () => {
    const folder = temporaryFolder();
    makeVoices(folder, { speakers: 1, utterances: 2 });
    const ids = ["../../etc/passwd", "a b/é漢"];
    writeFileSync(join(folder, "manifest.tsv"), ids.map((id, i) => `${id}\twav/s0-u${i}.wav\t\t../spk\n`).join(""));
    await extractXVectors(builtin(folder), quiet);
    const root = join(folder, "out", "spk_embed");
    const rows = readFileSync(join(root, "index", "train.tsv"), "utf8")
      .trim()
      .split("\n")
      .slice(1);
    expect(rows.map((row) => row.split("\t")[0])).toEqual(ids);
    for (const row of rows) vectorOf(join(root, row.split("\t")[3]!));
    expect(readdirSync(join(root, "train"))).toHaveLength(2);
    expect(readdirSync(join(root, "spk_mean", "train"))).toHaveLength(1);
  });

  it("skips what has no embedding where the options say so, also in batches, with a table of what and why", async () => {
    const folder = temporaryFolder();
    const manifest = makeVoices(folder, { speakers: 2, utterances: 3 });
    writeFileSync(join(folder, "wav", "s0-u1.wav"), "not audio");
    writeFileSync(manifest, `${readFileSync(manifest, "utf8")}ghost\twav/ghost.wav\t\ts9\n`);
    const config = { ...builtin(folder, { batch_size: 5 }), runner: { on_error: "skip" } };
    const [summary] = await extractXVectors(config, quiet);
    expect(summary).toMatchObject({ written: 5, failed: 2 });
    const table = readFileSync(summary!.failures!, "utf8").trim().split("\n");
    expect(table.map((row) => row.split("\t").slice(0, 3))).toEqual([
      ["utt_id", "line", "code"],
      ["s0-u1", "2", "BAD_AUDIO"],
      ["ghost", "7", "BAD_AUDIO"],
    ]);
    expect(readFileSync(summary!.report!, "utf8")).toContain("<td>ghost</td>");
    expect(existsSync(join(folder, "out", "spk_embed", "train", "ghost.pt"))).toBe(false);
  });

  it("stops at what has no embedding otherwise, and names the line of the manifest", async () => {
    const folder = temporaryFolder();
    const manifest = makeVoices(folder, { speakers: 1, utterances: 2 });
    writeFileSync(join(folder, "wav", "s0-u1.wav"), "");
    await expect(extractXVectors(builtin(folder), quiet)).rejects.toMatchObject({
      code: "ITEM_FAILED",
      message: expect.stringContaining(`${manifest}:2: s0-u1: `),
    });
  });

  it("refuses a broken manifest of any split before it works on the first", async () => {
    const folder = temporaryFolder();
    const manifest = makeVoices(folder, { speakers: 1, utterances: 2 });
    writeFileSync(join(folder, "bad.tsv"), "a\tb\n");
    const manifest_paths = { train: manifest, test: join(folder, "bad.tsv") };
    await expect(extractXVectors(builtin(folder, { manifest_paths }), quiet)).rejects.toMatchObject({
      code: "BAD_FILE",
      message: expect.stringContaining("bad.tsv:1: it has 2 columns"),
    });
    expect(existsSync(join(folder, "out"))).toBe(false);
  });

  it("does not continue with another manifest or another model", async () => {
    const folder = temporaryFolder();
    const manifest = makeVoices(folder, { speakers: 2, utterances: 2 });
    await extractXVectors(builtin(folder), quiet);
    const text = readFileSync(manifest, "utf8");
    writeFileSync(manifest, text.split("\n").reverse().join("\n").trimStart());
    await expect(extractXVectors(builtin(folder), quiet)).rejects.toMatchObject({
      code: "RUN_CHANGED",
      message: expect.stringContaining("manifest_digest"),
    });
    expect(await extractXVectors(builtin(folder), { ...quiet, resume: false })).toMatchObject([{ written: 4 }]);
    // Texts may change: no vector depends on them.
    writeFileSync(manifest, readFileSync(manifest, "utf8").replaceAll("some words", "other words"));
    expect(await extractXVectors(builtin(folder), quiet)).toMatchObject([{ written: 4 }]);
  });

  it("can be done with the provider and the runner themselves, as in ESPnet3", async () => {
    const folder = temporaryFolder();
    const manifest_path = makeVoices(folder, { speakers: 2, utterances: 2 });
    const output_dir = join(folder, "vectors", "train");
    const provider = new XVectorProvider(builtin(folder), { manifest_path, output_dir });
    const env = await provider.buildEnvLocal();
    expect(await XVectorRunner.forward(0, env)).toMatchObject({ record: { utt_id: "s0-u0", speaker_id: "s0" } });
    expect(await XVectorRunner.forward([2, 1], env)).toMatchObject([
      { record: { utt_id: "s1-u0" } },
      { record: { utt_id: "s0-u1" } },
    ]);
    await provider.teardown(env);
    const runner = new XVectorRunner(provider, { ...quiet, outputDir: join(folder, "run"), batchSize: 3 });
    expect(await runner.run([0, 1, 2, 3])).toMatchObject({ written: 4, vectors: output_dir });
  });
});

const torch = pythonWith("torch");

it.skipIf(torch === undefined)("torch.load opens the vectors (skipped without python3-torch)", async () => {
  const folder = temporaryFolder();
  makeVoices(folder, { speakers: 1, utterances: 2 });
  await extractXVectors(builtin(folder), quiet);
  const path = join(folder, "out", "spk_embed", "train", "s0-u1.pt");
  const program = [
    "import sys, json, torch",
    "t = torch.load(sys.argv[1])",
    "print(json.dumps([str(t.dtype), list(t.shape), t.tolist()]))",
  ].join("\n");
  const { stdout, stderr } = spawnSync(torch!, ["-c", program, path], { encoding: "utf8" });
  expect(JSON.parse(stdout || JSON.stringify(stderr))).toEqual(["torch.float32", [46], [...vectorOf(path)]]);
});

it("the built-in model works where onnxruntime-node is not installed, with the same vectors up to rounding", async () => {
  const folder = temporaryFolder();
  makeVoices(folder, { speakers: 2, utterances: 2 });
  await extractXVectors(builtin(folder), quiet);
  // A copy of the package that finds its other libraries, but not that one.
  const root = fileURLToPath(new URL("../..", import.meta.url));
  cpSync(join(root, "dist"), join(folder, "package", "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(folder, "package", "package.json"));
  mkdirSync(join(folder, "package", "node_modules"));
  symlinkSync(join(root, "node_modules", "yaml"), join(folder, "package", "node_modules", "yaml"));
  const config = builtin(folder, { spk_embed_tag: "plain" });
  writeFileSync(
    join(folder, "xvector.yaml"),
    JSON.stringify({ ...config, parallel: { env: "process", n_workers: 2 } }),
  );
  const args = [join(folder, "package", "dist", "cli", "millrace.js"), "xvector", "xvector.yaml"];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("train: 4 embeddings") });
  const [with_, without] = ["spk_embed", "plain"].map((tag) => vectorOf(join(folder, "out", tag, "train", "s1-u0.pt")));
  for (const [k, value] of without!.entries()) expect(value).toBeCloseTo(with_![k]!, 5);
  expect(dirname(args[0]!)).not.toContain(root);
});
