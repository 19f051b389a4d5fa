// Runs an ONNX model over audio of very different lengths, in batches that hold about the same amount of it.
import { join } from "node:path";
import { defineRun, isMainModule, range, textWriter } from "millrace";
import { readOutputScp } from "millrace/recipes";
import { encodeOnnx, loadOnnx } from "millrace/speech";

const sampleRate = 16_000;

export const levels = defineRun(import.meta, {
  // Once in every worker: the dataset and the model.
  env: async () => ({ dataset: tones(), model: await loadOnnx(levelModel(), { name: "level.onnx" }) }),
  // "padded": the cost of a batch is its longest item times their number. At most 20 seconds of padded audio in a batch.
  batch: { cost: "padded", max: 20 },
  cost: (idx, { dataset }) => dataset.secondsOf(idx),
  // A batch of indices: one result for each.
  forward: async (indices, { dataset, model }) => {
    const utterances = indices.map((idx) => dataset.at(idx));
    const { rms } = await model.run(padBatch(utterances.map(({ speech }) => speech)));
    return utterances.map(({ id }, row) => ({ id, level: Number(rms.data[row].toFixed(4)) }));
  },
  // One line an utterance: its id and its level.
  writers: (shardDir) => ({ scp: textWriter(shardDir, "level.scp") }),
  write: ({ scp }, { id, level }) => scp.write(`${id} ${level}`),
});

/** Tones of 0.1 to 4 seconds. For your own files, keep paths and durations here, and read a file in `at`. */
function tones() {
  const secondsOf = (idx) => 0.1 + ((idx * 37) % 40) / 10;
  return {
    secondsOf,
    at: (idx) => ({ id: `utt${String(idx).padStart(4, "0")}`, speech: tone(secondsOf(idx), 100 + idx) }),
  };
}

function tone(seconds, hertz) {
  const samples = Math.round(seconds * sampleRate);
  return Float32Array.from({ length: samples }, (_, n) => 0.5 * Math.sin((2 * Math.PI * hertz * n) / sampleRate));
}

/** The inputs of the model: waveforms padded with zeros to one tensor, and their lengths. */
function padBatch(waveforms) {
  const longest = Math.max(...waveforms.map(({ length }) => length));
  const padded = new Float32Array(waveforms.length * longest);
  for (const [row, samples] of waveforms.entries()) padded.set(samples, row * longest);
  const lengths = Float32Array.from(waveforms, ({ length }) => length);
  return {
    samples: { dtype: "float32", shape: [waveforms.length, longest], data: padded },
    lengths: { dtype: "float32", shape: [waveforms.length], data: lengths },
  };
}

/** A tiny graph instead of a real model: the root mean square of each row, without its padding. */
function levelModel() {
  return encodeOnnx({
    name: "level",
    inputs: [
      { name: "samples", shape: ["B", "T"] },
      { name: "lengths", shape: ["B"] },
    ],
    outputs: [{ name: "rms", shape: ["B"] }],
    constants: [],
    nodes: [
      { type: "Mul", inputs: ["samples", "samples"], outputs: ["squares"] },
      { type: "ReduceMean", inputs: ["squares"], outputs: ["mean"], attributes: { axes: [1n], keepdims: 0n } },
      { type: "ReduceMax", inputs: ["lengths"], outputs: ["longest"], attributes: { keepdims: 1n } },
      { type: "Mul", inputs: ["mean", "longest"], outputs: ["energy"] },
      { type: "Div", inputs: ["energy", "lengths"], outputs: ["power"] },
      { type: "Sqrt", inputs: ["power"], outputs: ["rms"] },
    ],
  });
}

if (isMainModule(import.meta)) {
  const [outputDir = "exp/onnx-inference"] = process.argv.slice(2);
  await levels.run(range(200), { outputDir, mergeFiles: true, parallel: { env: "process", n_workers: 2 } });
  const scp = join(outputDir, "level.scp");
  const values = [...readOutputScp(scp)].map(({ value }) => Number(value));
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  console.log(`${values.length} levels in ${scp}; their mean is ${mean.toFixed(3)}`);
}
