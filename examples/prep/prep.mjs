// Data preparation: one record of features for every utterance that is worth keeping.
import { BaseRunner, InferenceProvider } from "millrace";
import { buildCorpus, sampleRate } from "./synthetic-speech.mjs";

export class PrepProvider extends InferenceProvider {
  static module = import.meta.url;

  static buildDataset(config) {
    return buildCorpus(config.utterances);
  }

  static buildModel(config) {
    return frameEnergies(config.frame);
  }
}

export class PrepRunner extends BaseRunner {
  static module = import.meta.url;

  static forward(idx, { dataset, model, minSeconds, minDb }) {
    const utterance = dataset.at(idx);
    const energies = model(utterance.samples);
    if (!isUsable(utterance, energies, { minSeconds, minDb })) return null; // dropped, and counted
    const mean = energies.reduce((sum, value) => sum + value, 0) / energies.length;
    return {
      utt_id: utterance.uttId,
      speaker: utterance.speaker,
      seconds: Number((utterance.samples.length / sampleRate).toFixed(3)),
      frames: energies.length,
      mean_energy_db: Number(mean.toFixed(2)),
    };
  }
}

/** Keeps what is long enough and not silent. */
function isUsable({ samples }, energies, { minSeconds, minDb }) {
  return samples.length >= minSeconds * sampleRate && Math.max(...energies) > minDb;
}

/** Log energy in decibels of each frame. */
function frameEnergies({ lengthMs, shiftMs }) {
  const [length, shift] = [lengthMs, shiftMs].map((ms) => (ms * sampleRate) / 1000);
  return (samples) => {
    const energies = [];
    for (let start = 0; start + length <= samples.length; start += shift) {
      let sum = 0;
      for (let i = start; i < start + length; i++) sum += samples[i] ** 2;
      energies.push(10 * Math.log10(sum / length + 1e-10));
    }
    return energies;
  };
}
