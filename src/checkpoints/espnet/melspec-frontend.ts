import type { Value } from "../../models/onnx/graph-builder.ts";
import { reflect } from "../layers/convolution.ts";
import { meanOverTime, square } from "../layers/pooling.ts";
import { addChannel, preEmphasis } from "../layers/waveform.ts";
import type { Module } from "../module.ts";
import type { Settings } from "../settings.ts";
import type { FrontEnd } from "./parts.ts";

// The graph holds a wave for every frequency: 67 MB for this many samples.
const maxSize = 4096;

/** ESPnet's MelSpectrogramTorch: torchaudio's MelSpectrogram, whose window and filters are in the checkpoint. */
export function readMelspecFrontend(settings: Settings): FrontEnd {
  const hasPreEmphasis = settings.flag("preemp", true);
  const size = settings.count("n_fft", 512);
  const isLog = settings.flag("log", false);
  const window = settings.count("win_length", 400);
  const hop = settings.count("hop_length", 160);
  const mels = settings.count("n_mels", 80);
  const normalize = settings.value("normalize");
  // The window, and the filters between these frequencies, are weights of the checkpoint.
  settings.ignore("f_min", "f_max", "window_fn", "mel_scale").finish();
  if (normalize !== undefined && normalize !== "mn")
    throw settings.refuse(`normalize: ${JSON.stringify(normalize)} is not converted; known are mn and null`);
  if (window > size) throw settings.refuse("win_length is larger than n_fft");
  if (size > maxSize) throw settings.refuse(`n_fft: ${size} is not converted; at most ${maxSize} is`);
  return {
    outputs: mels,
    // Half a frame is mirrored at each end.
    samplesFor: (frames) => Math.max((size >> 1) + 1, (frames - 1) * hop + (size % 2)),
    build(module, wave) {
      const samples = addChannel(module, wave);
      const x = hasPreEmphasis ? preEmphasis(module, samples) : samples;
      let mel = melPowers(module.in("transform"), x, { size, window, hop, mels });
      if (isLog) mel = module.op("Log", [module.op("Add", [mel, module.graph.number(1e-6)])]);
      return normalize === undefined ? mel : module.op("Sub", [mel, meanOverTime(module, mel)]);
    },
  };
}

interface Spectrum {
  readonly size: number;
  readonly window: number;
  readonly hop: number;
  readonly mels: number;
}

/** The energy in each mel filter: [batch, 1, samples] → [batch, mels, time]. */
function melPowers(module: Module, x: Value, { size, window, hop, mels }: Spectrum): Value {
  const bins = (size >> 1) + 1;
  const weights = module.in("spectrogram").tensor("window", [window]).data;
  const padded = reflect(module, x, { before: size >> 1, after: size >> 1 });
  const waves = fourierKernels(weights, { size, bins });
  const strides = [BigInt(hop)];
  const [real, imaginary] = (["cosine", "sine"] as const).map((part) => {
    const kernel = module.graph.constant(`${module.prefix}.${part}`, [bins, 1, size], waves[part]);
    return square(module, module.op("Conv", [padded, kernel], { strides }));
  });
  const powers = module.op("Add", [real!, imaginary!]);
  const filters = module.in("mel_scale").weight("fb", [bins, mels]);
  const transposed = module.op("Transpose", [filters], { perm: [1n, 0n] });
  return module.op("MatMul", [transposed, powers]);
}

/** The windowed waves of a Fourier transform, so that a convolution computes its bins. */
function fourierKernels(
  window: Float32Array,
  { size, bins }: { readonly size: number; readonly bins: number },
): { readonly cosine: Float32Array; readonly sine: Float32Array } {
  // A window of another size was noted as a problem.
  const count = window.length === 0 ? 0 : bins * size;
  const [cosine, sine] = [new Float32Array(count), new Float32Array(count)];
  // A shorter window is in the middle of the frame.
  const start = (size - window.length) >> 1;
  for (let bin = 0; bin < bins && count > 0; bin++) {
    for (const [at, weight] of window.entries()) {
      const place = start + at;
      // Reduced first: the sine of a large angle would be less exact.
      const angle = (2 * Math.PI * ((bin * place) % size)) / size;
      cosine[bin * size + place] = weight * Math.cos(angle);
      sine[bin * size + place] = weight * Math.sin(angle);
    }
  }
  return { cosine, sine };
}
