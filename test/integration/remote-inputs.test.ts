import { openJsonl } from "millrace/datasets";
import { encodeOnnx, encodeWav, loadOnnx, probeAudio, readAudio } from "millrace/speech";
import { describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { openObjectStore } from "../../src/object-store/object-store.ts";
import { because } from "../support/clusters/why-not.ts";
import { whyNotCeph } from "../support/object-store/ceph.ts";
import { startMemoryStore } from "../support/object-store/memory-store.ts";
import { makeBucket, sharedGateway } from "../support/object-store/shared-gateway.ts";
import { type StoreAddress, storeVariables } from "../support/object-store/store-address.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const sampleRate = 16_000;
const samples = Float32Array.from({ length: 120 * sampleRate }, (_, i) => Math.sin(i / 40) / 2);

/** Puts the files of a small corpus into a bucket, and has this process use its store. */
async function putCorpus(store: StoreAddress, bucket: string): Promise<string> {
  for (const [name, value] of Object.entries(storeVariables(store))) vi.stubEnv(name, value);
  vi.stubEnv("MILLRACE_CACHE", temporaryFolder());
  onTestFinished(() => void vi.unstubAllEnvs());
  const corpus = openObjectStore(bucket);
  await corpus.put("audio/long.wav", encodeWav(samples, { sampleRate }));
  const rows = Array.from({ length: 1000 }, (_, n) => `{"n":${n},"wav":"s3://${bucket}/audio/long.wav"}\n`);
  await corpus.put("rows.jsonl", rows.join(""));
  return `s3://${bucket}`;
}

describe("inputs at s3://", () => {
  const whyNot = whyNotCeph();

  it.skipIf(whyNot !== undefined)(`are read from the gateway of Ceph${because(whyNot)}`, async () => {
    const store = await sharedGateway(inject("gatewayPort"));
    const place = await putCorpus(store, await makeBucket(store));
    await using rows = await openJsonl<{ n: number; wav: string }>(`${place}/rows.jsonl`, { remote: true });
    const row = await rows.at(999);
    expect([rows.length, row.n]).toEqual([1000, 999]);
    const part = await readAudio(row.wav, { remote: true, offset: 100, duration: 0.5 });
    expect(part.samples.length).toBe(sampleRate / 2);
    // 16 bits a sample.
    expect(part.samples[77]).toBeCloseTo(samples[100 * sampleRate + 77]!, 4);
    expect(await probeAudio(row.wav, { remote: true })).toMatchObject({ durationSeconds: 120, sampleRate });
    await expect(readAudio(`${place}/none.wav`, { remote: true })).rejects.toMatchObject({
      code: "BAD_FILE",
      message: expect.stringContaining(`${place}/none.wav cannot be read: the server answers 404`),
    });
  });

  it("are fetched in parts, once", async () => {
    const store = await startMemoryStore();
    onTestFinished(() => store.stop());
    const place = await putCorpus(store.address, "data");
    const asked = () => store.seen.filter(({ method }) => method === "GET").map(({ headers }) => headers.range);
    await readAudio(`${place}/audio/long.wav`, { remote: true, offset: 100, duration: 0.5 });
    // The file has 3.84 MB: its version, the block of its header, the block of the segment, and blocks ahead.
    expect(asked()[0]).toBe("bytes=0-0");
    const fetched = new Set(asked().slice(1));
    expect(fetched.size).toBe(asked().length - 1);
    const before = asked().length;
    await readAudio(`${place}/audio/long.wav`, { remote: true, offset: 100, duration: 0.5 });
    expect(asked().slice(before)).toEqual(["bytes=0-0"]);
  });

  it("are models too", async () => {
    const store = await startMemoryStore();
    onTestFinished(() => store.stop());
    const place = await putCorpus(store.address, "data");
    const graph = encodeOnnx({
      name: "negate",
      inputs: [{ name: "x", shape: [2] }],
      outputs: [{ name: "y", shape: [2] }],
      constants: [],
      nodes: [{ type: "Neg", inputs: ["x"], outputs: ["y"] }],
    });
    await openObjectStore("data").put("models/negate.onnx", graph);
    await using model = await loadOnnx(`${place}/models/negate.onnx`, { remote: true });
    const { y } = await model.run({ x: { dtype: "float32", shape: [2], data: Float32Array.of(1, -2) } });
    expect([...(y!.data as Float32Array)]).toEqual([-1, 2]);
    await expect(loadOnnx(`${place}/models/negate.onnx`)).rejects.toThrow(/There is no model file.*remote: true/s);
  });

  it("are refused where nothing says that an address may come, and show no password", async () => {
    await expect(readAudio("s3://data/a.wav")).rejects.toThrow(
      /s3:\/\/data\/a\.wav is not on this machine.*remote: true/s,
    );
    const secret = "https://me:top-secret@host/a.wav?token=top-secret";
    await expect(readAudio(secret)).rejects.toThrow(/^(?!.*top-secret).*https:\/\/host\/a\.wav\?… is not/s);
  });
});
