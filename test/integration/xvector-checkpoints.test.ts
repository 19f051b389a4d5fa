import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadConfig, type ParallelInput, runStatus } from "millrace";
import { type NdArray, readNpy, readPt } from "millrace/formats";
import { extractXVectors, type XVectorConfig } from "millrace/recipes";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startFakeHub } from "../support/recipes/fake-download-hub.ts";
import { sharedIsAbsent, sharedPath } from "../support/shared-path.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const data = sharedPath("data", "models", "speechbrain") === undefined ? undefined : sharedPath("data");
const skipped = data === undefined ? ` (skipped: ${sharedIsAbsent})` : "";

/** A checkpoint with random weights, and what its own toolkit answered for every utterance. */
interface Checkpoint {
  readonly toolkit: "speechbrain" | "espnet";
  readonly folder: readonly string[];
}

const checkpoints: Readonly<Record<string, Checkpoint>> = {
  "ECAPA-TDNN of SpeechBrain": { toolkit: "speechbrain", folder: ["speechbrain", "spkrec-ecapa-small"] },
  "x-vector of SpeechBrain": { toolkit: "speechbrain", folder: ["speechbrain", "spkrec-xvect-small"] },
  "ResNet of SpeechBrain": { toolkit: "speechbrain", folder: ["speechbrain", "spkrec-resnet-small"] },
  "RawNet3 of ESPnet": { toolkit: "espnet", folder: ["espnet", "rawnet3_small"] },
};
const ecapa = checkpoints["ECAPA-TDNN of SpeechBrain"]!;
const placeOf = ({ folder }: Checkpoint) => join(data!, "models", ...folder);

function configOf(checkpoint: Checkpoint, savePath: string, more: object = {}): XVectorConfig {
  return {
    xvector: {
      toolkit: checkpoint.toolkit,
      pretrained_model: placeOf(checkpoint),
      spk_embed_tag: "tag",
      save_path: savePath,
      manifest_paths: { test: join(data!, "speech", "manifest.tsv") },
      report: false,
      ...more,
    },
  };
}

/** How far a vector is from its reference, relative to the reference. */
function distance(ours: ArrayLike<number>, reference: Float32Array): number {
  const norm = (values: readonly number[]) => Math.hypot(...values);
  const wanted = [...reference];
  return norm(wanted.map((value, at) => value - ours[at]!)) / norm(wanted);
}

/** The largest distance of all vectors of a run. */
function largestDistance(folder: string, { folder: name }: Checkpoint): number {
  const place = join(data!, "reference", ...name);
  const reference = readNpy(join(place, "embs.npy"));
  const size = reference.shape[1]!;
  const ids = readFileSync(join(place, "utt_ids.txt"), "utf8").trim().split("\n");
  expect(ids).toHaveLength(100);
  const distances = ids.map((id, row) => {
    const { data: ours, shape } = readPt(join(folder, "tag", "test", `${id}.pt`)) as NdArray<"float32">;
    expect(shape).toEqual([size]);
    return distance(ours, (reference.data as Float32Array).subarray(row * size, (row + 1) * size));
  });
  return Math.max(...distances);
}

/** Kills a worker that has a shard, as soon as there is one. */
async function killOneWorker(runDir: string): Promise<void> {
  for (;;) {
    await sleep(50);
    if (!existsSync(join(runDir, "manifest.json"))) continue;
    const victim = (await runStatus(runDir)).workers.find(({ shard }) => shard !== undefined);
    if (victim === undefined) continue;
    process.kill(victim.pid, "SIGKILL");
    return;
  }
}

describe.skipIf(data === undefined)(`x-vectors of PyTorch checkpoints${skipped}`, () => {
  // Converted models go into a cache of the tests.
  const cache = mkdtempSync(join(tmpdir(), "millrace-test-"));
  beforeEach(() => void vi.stubEnv("XDG_CACHE_HOME", cache));
  afterEach(() => void vi.unstubAllEnvs());
  afterAll(() => rmSync(cache, { recursive: true, force: true }));

  it.each(Object.entries(checkpoints))(
    "%s gives what its own toolkit gives, in one process and in two of which one is killed",
    { timeout: 300_000 },
    async (_name, checkpoint) => {
      const calm = temporaryFolder();
      const [summary] = await extractXVectors(configOf(checkpoint, calm), { progress: false, shards: 10 });
      expect(summary).toMatchObject({ written: 100, failed: 0, speakers: 10 });
      expect(largestDistance(calm, checkpoint)).toBeLessThanOrEqual(1e-4);
      const folder = temporaryFolder();
      const parallel: ParallelInput = { env: "process", n_workers: 2 };
      const kill = killOneWorker(join(folder, "tag", "runs", "test"));
      const run = extractXVectors(configOf(checkpoint, folder, { batch_size: 20 }), {
        progress: false,
        shards: 10,
        parallel,
      });
      const [again] = await run;
      await kill;
      expect(again).toMatchObject({ written: 100, failed: 0 });
      const names = readdirSync(join(calm, "tag", "test"));
      const differing = names.filter(
        (name) =>
          !readFileSync(join(calm, "tag", "test", name)).equals(readFileSync(join(folder, "tag", "test", name))),
      );
      expect([names.length, differing]).toEqual([100, []]);
    },
  );

  it.each(Object.entries(checkpoints).filter(([, { toolkit }]) => toolkit === "speechbrain"))(
    "%s gives with mean_var_norm_emb what SpeechBrain gives with normalize=True",
    { timeout: 120_000 },
    async (_name, checkpoint) => {
      const folder = temporaryFolder();
      const lines = readFileSync(join(data!, "speech", "manifest.tsv"), "utf8")
        .split("\n")
        .slice(0, 10);
      const manifest = join(folder, "first.tsv");
      writeFileSync(manifest, lines.map((line) => line.replace("\t", `\t${join(data!, "speech")}/`)).join("\n"));
      const more = { manifest_paths: { test: manifest }, model: { normalize: "mean_var_norm_emb" } };
      await extractXVectors(configOf(checkpoint, folder, more), { progress: false, shards: 1 });
      const reference = readNpy(join(data!, "reference", ...checkpoint.folder, "embs_normalized_first10.npy"));
      const size = reference.shape.at(-1)!;
      const distances = lines.map((line, row) => {
        const { data: ours } = readPt(join(folder, "tag", "test", `${line.split("\t")[0]}.pt`)) as NdArray<"float32">;
        return distance(ours, (reference.data as Float32Array).subarray(row * size, (row + 1) * size));
      });
      expect(distances).toHaveLength(10);
      // Without its mean a vector is short beside the noise that SpeechBrain's x-vector adds: two answers of SpeechBrain
      // itself, embs.npy minus the mean and this reference, are 7e-4 apart.
      expect(Math.max(...distances)).toBeLessThanOrEqual(checkpoint.folder[1] === "spkrec-xvect-small" ? 1e-3 : 1e-4);
    },
  );

  it("gives for stacked utterances what SpeechBrain gives for a padded batch", { timeout: 120_000 }, async () => {
    const folder = temporaryFolder();
    const lines = readFileSync(join(data!, "speech", "manifest.tsv"), "utf8")
      .split("\n")
      .slice(0, 4);
    const manifest = join(folder, "first.tsv");
    writeFileSync(manifest, lines.map((line) => line.replace("\t", `\t${join(data!, "speech")}/`)).join("\n"));
    const config = configOf(ecapa, folder, { manifest_paths: { test: manifest }, batch_size: 4, stack: true });
    await extractXVectors(config, { progress: false, shards: 1 });
    const reference = readNpy(join(data!, "reference", ...ecapa.folder, "embs_padded_batch_first4.npy"));
    const size = reference.shape.at(-1)!;
    const distances = lines.map((line, row) => {
      const { data: ours } = readPt(join(folder, "tag", "test", `${line.split("\t")[0]}.pt`)) as NdArray<"float32">;
      return distance(ours, (reference.data as Float32Array).subarray(row * size, (row + 1) * size));
    });
    expect(Math.max(...distances)).toBeLessThanOrEqual(1e-4);
  });

  it("runs the config of ESPnet3's page letter by letter, from the hub and then without it", {
    timeout: 300_000,
  }, async () => {
    const folder = temporaryFolder();
    const manifests = join(folder, "manifest");
    mkdirSync(manifests);
    const [line] = readFileSync(join(data!, "speech", "manifest.tsv"), "utf8").split("\n");
    for (const split of ["train", "valid", "test"])
      writeFileSync(join(manifests, `${split}.tsv`), line!.replace("\t", `\t${join(data!, "speech")}/`));
    const files = Object.fromEntries(
      readdirSync(placeOf(ecapa)).map((name) => [name, readFileSync(join(placeOf(ecapa), name))]),
    );
    const hub = await startFakeHub("speechbrain/spkrec-ecapa-voxceleb", files);
    vi.stubEnv("HF_ENDPOINT", hub.url);
    vi.stubEnv("HF_HUB_CACHE", join(folder, "hub"));
    // Only the device is another one: there is no GPU here.
    const text = `
data_dir: ${folder}
xvector:
  toolkit: speechbrain
  pretrained_model: speechbrain/spkrec-ecapa-voxceleb
  device: cpu
  spk_embed_tag: spkrec-ecapa-voxceleb
  save_path: \${data_dir}/x_vectors
  batch_size: 20
  manifest_paths:
    train: \${data_dir}/manifest/train.tsv
    valid: \${data_dir}/manifest/valid.tsv
    test: \${data_dir}/manifest/test.tsv
  splits:
    - train
    - valid
    - test
`;
    const path = join(folder, "xvector.yaml");
    writeFileSync(path, text);
    const config = (await loadConfig(path)) as XVectorConfig;
    const summaries = await extractXVectors(config, { progress: false });
    expect(summaries.map(({ split, written, dimension }) => [split, written, dimension])).toEqual([
      ["train", 1, 64],
      ["valid", 1, 64],
      ["test", 1, 64],
    ]);
    const fetched = hub.requests.filter((request) => request.startsWith("GET /cdn/")).map((one) => one.slice(9));
    expect(fetched.sort()).toEqual(["embedding_model.ckpt", "hyperparams.yaml"]);
    const before = hub.requests.length;
    vi.stubEnv("HF_HUB_OFFLINE", "1");
    const elsewhere = { xvector: { ...config.xvector, save_path: join(folder, "again") } };
    expect(await extractXVectors(elsewhere, { progress: false })).toMatchObject([{ written: 1 }, {}, {}]);
    expect(hub.requests.length).toBe(before);
  });

  it("makes a converted file again that was damaged, and refuses to continue with other weights", {
    timeout: 300_000,
  }, async () => {
    const ownCache = temporaryFolder();
    vi.stubEnv("XDG_CACHE_HOME", ownCache);
    const folder = temporaryFolder();
    const model = join(folder, "model");
    mkdirSync(model);
    for (const name of ["hyperparams.yaml", "embedding_model.ckpt"])
      copyFileSync(join(placeOf(ecapa), name), join(model, name));
    const [line] = readFileSync(join(data!, "speech", "manifest.tsv"), "utf8").split("\n");
    const manifest = join(folder, "one.tsv");
    writeFileSync(manifest, line!.replace("\t", `\t${join(data!, "speech")}/`));
    const config = (savePath: string) =>
      configOf(ecapa, join(folder, savePath), { pretrained_model: model, manifest_paths: { test: manifest } });
    await extractXVectors(config("first"), { progress: false });
    const [converted] = readdirSync(join(ownCache, "millrace", "models")).filter((name) => name.endsWith(".onnx"));
    const path = join(ownCache, "millrace", "models", converted!);
    const whole = readFileSync(path);
    writeFileSync(path, whole.subarray(0, 1000));
    await extractXVectors(config("second"), { progress: false });
    expect(readFileSync(path).equals(whole)).toBe(true);
    const weights = readFileSync(join(model, "embedding_model.ckpt"));
    copyFileSync(
      join(placeOf(checkpoints["ResNet of SpeechBrain"]!), "hyperparams.yaml"),
      join(model, "hyperparams.yaml"),
    );
    await expect(extractXVectors(config("third"), { progress: false })).rejects.toThrow(
      /not those of ResNet[\s\S]*conv1\.weight is missing/,
    );
    copyFileSync(join(placeOf(ecapa), "hyperparams.yaml"), join(model, "hyperparams.yaml"));
    writeFileSync(
      join(model, "embedding_model.ckpt"),
      weights.fill(0, weights.length >> 1, (weights.length >> 1) + 64),
    );
    await expect(extractXVectors(config("first"), { progress: false })).rejects.toMatchObject({
      code: expect.stringMatching(/RUN_CHANGED|BAD_FILE/),
    });
  });
});
