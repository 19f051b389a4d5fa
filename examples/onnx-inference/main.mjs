// Runs an ONNX model over audio of very different lengths, in batches that hold about the same amount of it.
import { join } from "node:path";
import { InferenceProvider, isMainModule, range } from "millrace";
import { InferenceRunner, readScp } from "millrace/recipes";
import { encodeOnnx, loadOnnx } from "millrace/speech";

const sampleRate = 16_000;

export class LevelProvider extends InferenceProvider {
  static module = import.meta.url;

  /** Tones of 0.1 to 4 seconds; with files of your own, keep their paths and durations here and read them in `get`. */
  static buildDataset({ utterances }) {
    const secondsOf = (idx) => 0.1 + ((idx * 37) % 40) / 10;
    return {
      length: utterances,
      secondsOf,
      get: (idx) => ({ utt_id: `utt${String(idx).padStart(4, "0")}`, speech: tone(secondsOf(idx), 100 + idx) }),
    };
  }

  /** Loaded once a worker. It gets a list of waveforms, pads them to one tensor, and returns a list of outputs. */
  static async buildModel() {
    const model = await loadOnnx(levelModel(), { name: "level.onnx" });
    return async ({ speech }) => {
      const longest = Math.max(...speech.map(({ length }) => length));
      const padded = new Float32Array(speech.length * longest);
      for (const [row, samples] of speech.entries()) padded.set(samples, row * longest);
      const lengths = Float32Array.from(speech, ({ length }) => length);
      const { rms } = await model.run({
        samples: { type: "float32", data: padded, dims: [speech.length, longest] },
        lengths: { type: "float32", data: lengths, dims: [speech.length] },
      });
      return Array.from(rms.data, (level) => ({ level: Number(level.toFixed(4)) }));
    };
  }
}

export class LevelRunner extends InferenceRunner {
  static module = import.meta.url;

  /** What an item costs: with `cost: "padded"` a batch is as long as its longest item times their number. */
  static itemCost(idx, { dataset }) {
    return dataset.secondsOf(idx);
  }
}

/** A tiny graph in the place of a real one: the root mean square of each row, without its padding. */
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

function tone(seconds, hertz) {
  const samples = Math.round(seconds * sampleRate);
  return Float32Array.from({ length: samples }, (_, n) => 0.5 * Math.sin((2 * Math.PI * hertz * n) / sampleRate));
}

if (isMainModule(import.meta.url)) {
  const [outputDir = "exp/onnx-inference"] = process.argv.slice(2);
  const runner = new LevelRunner(new LevelProvider({ utterances: 200 }), {
    outputDir,
    batchBy: { cost: "padded", max: 20 }, // at most 20 seconds of padded audio in a batch
    hypKey: "level",
    refKey: [],
    parallel: { env: "process", n_workers: 2 },
  });
  const { scp, count } = await runner.run(range(200));
  const levels = [...readScp(scp.level)].map(({ value }) => Number(value));
  const mean = levels.reduce((sum, level) => sum + level, 0) / levels.length;
  console.log(`${count.level} levels in ${join(outputDir, "level.scp")}; their mean is ${mean.toFixed(3)}`);
}
