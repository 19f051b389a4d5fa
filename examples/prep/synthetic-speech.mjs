// Utterances made from a seed: voiced stretches and pauses, some of them silent or too short to be of use. Nothing is
// downloaded, and the same index always gives the same samples.

export const sampleRate = 16_000;

/** A list of utterances as a corpus gives it: ids and speakers, the samples on demand. */
export function buildCorpus(count) {
  return {
    length: count,
    at(index) {
      const random = randoms(index + 1);
      const seconds = index % 37 === 5 ? 0.1 : 0.5 + random() * 2;
      const isSilent = index % 41 === 7;
      const speaker = `spk${String(index % 10).padStart(2, "0")}`;
      return {
        uttId: `${speaker}-${String(index).padStart(5, "0")}`,
        speaker,
        samples: synthesize({ seconds, isSilent, random }),
      };
    },
  };
}

function synthesize({ seconds, isSilent, random }) {
  const samples = new Float32Array(Math.floor(seconds * sampleRate));
  const pitch = 90 + random() * 160;
  for (let i = 0; i < samples.length; i++) {
    const t = i / sampleRate;
    const envelope = isSilent ? 0 : Math.max(0, Math.sin(2 * Math.PI * 2.5 * t));
    const voice = Math.sin(2 * Math.PI * pitch * t) + 0.5 * Math.sin(4 * Math.PI * pitch * t);
    samples[i] = 0.3 * envelope * voice + 0.001 * (random() - 0.5);
  }
  return samples;
}

function randoms(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
