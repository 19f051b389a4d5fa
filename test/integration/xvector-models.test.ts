import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ParallelInput, runStatus } from "millrace";
import { type NdArray, readNpy, readPt } from "millrace/formats";
import { extractXVectors, type ModelSection, type XVectorConfig } from "millrace/recipes";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { startSlurm, whyNotSlurm } from "../support/clusters/slurm.ts";
import { because } from "../support/clusters/why-not.ts";
import { sharedIsAbsent, sharedPath } from "../support/shared-path.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const data = sharedPath("data");
const noSlurm = whyNotSlurm();
const skipped = data === undefined ? ` (skipped: ${sharedIsAbsent})` : "";

interface RealModel {
  readonly file: string;
  readonly model: ModelSection;
  readonly reference: readonly [folder: string, file: string];
  readonly maxEer: number;
}

const mfcc: ModelSection = {
  frontend: "mel_mfcc",
  frontend_options: { n_fft: 2048, hop_length: 512, n_mels: 128, n_mfcc: 40 },
};

const models: Readonly<Record<string, RealModel>> = {
  "thin ResNet on Kaldi's fbank": {
    file: "spk_thinresnet_fbank80.onnx",
    model: { frontend: "fbank", frontend_options: { num_mel_bins: 80 }, min_frames: 8 },
    reference: ["spk_thinresnet_fbank80", "embs.kaldi_fbank80_povey.npy"],
    maxEer: 0.016,
  },
  "BiLSTM on librosa's MFCC": {
    file: "dvector_bilstm_mfcc40.onnx",
    model: mfcc,
    reference: ["dvector_bilstm_mfcc40", "embs_full.npy"],
    maxEer: 0.009,
  },
  "BiLSTM on windows": {
    file: "dvector_bilstm_mfcc40.onnx",
    model: { ...mfcc, windows: { length: 100, step: 50 } },
    reference: ["dvector_bilstm_mfcc40", "embs_win.npy"],
    maxEer: 0.0092,
  },
  "BiLSTM on waveforms": {
    file: "dvector_bilstm_wav16k.onnx",
    model: { input: "waveform" },
    reference: ["dvector_bilstm_mfcc40", "embs_full.npy"],
    maxEer: 0.009,
  },
};

function configOf({ file, model }: RealModel, folder: string, more: object = {}): XVectorConfig {
  return {
    xvector: {
      toolkit: "onnx",
      pretrained_model: join(data!, "models", file),
      model,
      spk_embed_tag: "tag",
      save_path: folder,
      manifest_paths: { test: join(data!, "speech", "manifest.tsv") },
      ...more,
    },
  };
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, k) => sum + value * y[k]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

// What one process gives without any disturbance is looked at by two tests.
const base = mkdtempSync(join(tmpdir(), "millrace-test-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const calm = (name: string) => join(base, name.replace(/\W+/g, "-"));

/** The least cosine between what was written and the reference, over all utterances. */
function minCosine(folder: string, [name, file]: RealModel["reference"]): number {
  const reference = readNpy(join(data!, "reference", name, file));
  const ids = readFileSync(join(data!, "reference", name, "utt_ids.txt"), "utf8")
    .trim()
    .split("\n");
  const size = reference.shape[1]!;
  const cosines = ids.map((id, row) => {
    const { data: ours, shape } = readPt(join(folder, "tag", "test", `${id}.pt`)) as NdArray;
    expect(shape).toEqual([size]);
    return cosine(ours as Float32Array, (reference.data as Float32Array).subarray(row * size, (row + 1) * size));
  });
  expect(cosines).toHaveLength(100);
  return Math.min(...cosines);
}

/** Every file that was written, by its name, without the run's own folder. */
function outputsOf(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes("/runs/"));
  return new Map(names.map((path) => [path.slice(folder.length), readFileSync(path, "latin1")]));
}

/** The files that only one run has, or that are not the same in both. */
function differing(expected: ReadonlyMap<string, string>, found: ReadonlyMap<string, string>): string[] {
  expect(expected.size).toBeGreaterThan(100);
  const names = [...new Set([...expected.keys(), ...found.keys()])];
  return names.filter((file) => found.get(file) !== expected.get(file));
}

/** Kills workers, each at another shard, while a run is on; says how many. */
async function killWorkers(runDir: string, isOver: () => boolean): Promise<number> {
  const struck = new Set<number>();
  while (!isOver()) {
    await sleep(60);
    if (!existsSync(join(runDir, "manifest.json"))) continue;
    const { workers } = await runStatus(runDir);
    const victim = workers.find(({ shard }) => shard !== undefined && !struck.has(shard));
    if (victim === undefined || struck.size >= 5) continue;
    struck.add(victim.shard!);
    try {
      process.kill(victim.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
  return struck.size;
}

describe.skipIf(data === undefined)(`x-vectors of real models${skipped}`, () => {
  const entries = Object.entries(models);

  it.each(entries)("%s: vectors of the reference, and its equal error rate", async (name, model) => {
    const folder = calm(name);
    const [summary] = await extractXVectors(configOf(model, folder), { progress: false, shards: 10 });
    expect(summary).toMatchObject({ split: "test", written: 100, failed: 0, speakers: 10 });
    expect(minCosine(folder, model.reference)).toBeGreaterThanOrEqual(0.9999);
    expect(summary!.eer!.eer).toBeLessThanOrEqual(model.maxEer);
  });

  it.each(entries.slice(0, 2))(
    "%s: the same bytes from two processes whose workers are killed",
    async (name, model) => {
      const folder = temporaryFolder();
      const config = configOf(model, folder, { batch_size: 7 });
      const parallel: ParallelInput = { env: "process", n_workers: 2 };
      const stop = new AbortController();
      let isOver = false;
      const kills = killWorkers(join(folder, "tag", "runs", "test"), () => isOver);
      // It is stopped once as well, and started again.
      setTimeout(() => stop.abort(), 900);
      await extractXVectors(config, { progress: false, shards: 10, parallel, signal: stop.signal }).catch(
        (error: { code: string }) => expect(error.code).toBe("RUN_STOPPED"),
      );
      const [summary] = await extractXVectors(config, { progress: false, parallel });
      isOver = true;
      expect(await kills).toBeGreaterThan(0);
      expect(summary).toMatchObject({ written: 100, failed: 0 });
      expect(summary!.eer!.eer).toBeLessThanOrEqual(model.maxEer);
      expect(differing(outputsOf(calm(name)), outputsOf(folder))).toEqual([]);
    },
  );

  it.skipIf(noSlurm !== undefined).each(entries.slice(0, 2))(
    `%s: the same bytes from two nodes of a Slurm${because(noSlurm)}`,
    { timeout: 300_000 },
    async (name, model) => {
      const cluster = await startSlurm({ nodes: 2, cpusPerNode: 1 });
      onTestFinished(() => cluster.stop());
      vi.stubEnv("SLURM_CONF", cluster.environment["SLURM_CONF"]);
      onTestFinished(() => void vi.unstubAllEnvs());
      const folder = temporaryFolder();
      const parallel: ParallelInput = { env: "slurm", n_workers: 2, options: { poll_interval: 1 } };
      const [summary] = await extractXVectors(configOf(model, folder), { progress: false, shards: 10, parallel });
      expect(summary).toMatchObject({ written: 100, failed: 0, speakers: 10 });
      expect(minCosine(folder, model.reference)).toBeGreaterThanOrEqual(0.9999);
      expect(summary!.eer!.eer).toBeLessThanOrEqual(model.maxEer);
      expect(differing(outputsOf(calm(name)), outputsOf(folder))).toEqual([]);
      expect(await cluster.jobs()).toHaveLength(2);
    },
  );

  it("gives 48 kHz digits vectors too", async () => {
    const folder = temporaryFolder();
    const config = configOf(models["thin ResNet on Kaldi's fbank"]!, folder, {
      manifest_paths: { digits: join(data!, "speech", "manifest_audiomnist.tsv") },
    });
    const [summary] = await extractXVectors(config, { progress: false });
    expect(summary).toMatchObject({ split: "digits", written: 60, failed: 0, speakers: 12, dimension: 64 });
  });
});
