import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sileroVad } from "../../../src/features/vad/silero-vad.ts";
import { speechSegments } from "../../../src/features/vad/speech-segments.ts";
import { loadOnnx } from "../../../src/models/load-onnx.ts";
import type { ModelSession, ModelTensor } from "../../../src/models/model-session.ts";
import { differences, testSignal } from "../../support/features/compare.ts";
import { dataPath, missingData, readNpy, readWav } from "../../support/features/shared-data.ts";

/** A model that writes down what it was given; its state counts the calls. */
function recordingModel(): { calls: Record<string, ModelTensor>[]; model: ModelSession } {
  const calls: Record<string, ModelTensor>[] = [];
  const model: ModelSession = {
    run(inputs) {
      calls.push(structuredClone(inputs) as Record<string, ModelTensor>);
      const output = { dtype: "float32", shape: [1, 1], data: Float32Array.of(calls.length / 10) } as const;
      const stateN = { dtype: "float32", shape: [2, 1, 128], data: new Float32Array(256).fill(calls.length) } as const;
      return Promise.resolve({ output, stateN });
    },
  };
  return { calls, model };
}

describe("sileroVad", () => {
  it.each([
    [16_000, 512, 64],
    [8000, 256, 32],
  ] as const)("passes each stretch with the end of the one before, at %i Hz", async (sampleRate, chunk, context) => {
    const { calls, model } = recordingModel();
    const samples = testSignal(2 * chunk + 100);
    const probabilities = await sileroVad(samples, model, { sampleRate });
    expect(probabilities).toEqual(Float32Array.of(0.1, 0.2, 0.3));
    const padded = Float32Array.of(...new Float32Array(context), ...samples, ...new Float32Array(chunk - 100));
    calls.forEach(({ input, state, sr }, i) => {
      expect(input!.shape).toEqual([1, context + chunk]);
      expect(input!.data).toEqual(padded.subarray(i * chunk, (i + 1) * chunk + context));
      expect(new Set(state!.data as Float32Array)).toEqual(new Set([i]));
      expect(sr!.data).toEqual(BigInt64Array.of(BigInt(sampleRate)));
    });
  });

  it("asks the model nothing where there are no samples", async () => {
    const { calls, model } = recordingModel();
    expect(await sileroVad(new Float32Array(0), model)).toHaveLength(0);
    expect(calls).toEqual([]);
  });

  it("refuses rates that the model does not know, and models that are something else", async () => {
    const { model } = recordingModel();
    await expect(sileroVad(testSignal(10), model, { sampleRate: 44_100 as 8000 })).rejects.toThrow(
      /44100[\s\S]*16000 or 8000/,
    );
    const other: ModelSession = { run: () => Promise.resolve({}) };
    await expect(sileroVad(testSignal(10), other)).rejects.toMatchObject({ code: "BAD_MODEL" });
  });
});

const skip = missingData === undefined ? "" : ` (skipped: ${missingData})`;

describe.skipIf(missingData !== undefined)(`the real Silero model${skip}`, () => {
  const utterances = ["367-130732-0000", "1688-142285-0000", "2414-128291-0000", "3331-159605-0004"];

  it.each(utterances)("gives the probabilities of PyTorch for %s", async (name) => {
    const model = await loadOnnx(dataPath("models", "silero_vad.onnx"));
    const samples = readWav(dataPath("speech", "wav", name.split("-")[0]!, `${name}.wav`));
    const probabilities = await sileroVad(samples, model);
    const theirs = readNpy(dataPath("reference", "silero_vad", `${name}.probs16k.npy`));
    const ours = { data: probabilities, rows: theirs.rows, columns: theirs.columns };
    expect(probabilities).toHaveLength(theirs.data.length);
    expect(differences(ours, theirs).max).toBeLessThan(1e-5);
    const segments = speechSegments(probabilities, { frameShift: 512, sampleCount: samples.length });
    expect(segments.length).toBeGreaterThan(0);
    expect(segments.every(({ start, end }) => start >= 0 && start < end && end <= samples.length)).toBe(true);
    await model.release();
  });
});

describe("loadOnnx", () => {
  it("says which file is not there, and which device there is not", async () => {
    expect(existsSync("no-such-model.onnx")).toBe(false);
    await expect(loadOnnx("no-such-model.onnx")).rejects.toMatchObject({
      code: "BAD_MODEL",
      message: expect.stringContaining("no-such-model.onnx"),
    });
    await expect(loadOnnx("any.onnx", { device: "gpu" })).rejects.toMatchObject({ code: "BAD_OPTION" });
    await expect(loadOnnx("any.onnx", { device: "cudax" })).rejects.toMatchObject({ code: "BAD_OPTION" });
  });

  it("says so where the file is not a model", async () => {
    await expect(loadOnnx("package.json")).rejects.toMatchObject({
      code: "BAD_MODEL",
      message: expect.stringContaining("package.json"),
    });
  });
});
