// The traits of speakers: constant over the utterances of one speaker, different between speakers.
import { randomNumbers } from "./random-numbers.mjs";

/** `count` speakers, spread over pitch, vocal tract length and timbre. */
export function makeVoices(count) {
  return Array.from({ length: count }, (_, i) => {
    const random = randomNumbers(`voice ${i}`);
    const between = (low, high) => low + (high - low) * random();
    // Evenly spaced over the range, so that no two are alike; each trait has another order.
    const place = (step) => ((i * step) % count) / Math.max(1, count - 1);
    return {
      name: `spk${String(i + 1).padStart(2, "0")}`,
      pitchHz: 90 + 140 * place(1) + between(-6, 6),
      tractScale: 0.78 + 0.5 * place(3),
      /** The decay of a glottal pulse: near 1 for a soft voice, whose high frequencies are weak. */
      tilt: 0.35 + 0.58 * place(5),
      breath: between(0.005, 0.05),
      jitter: between(0.004, 0.02),
      formantShift: [between(0.8, 1.2), between(0.82, 1.18), between(0.85, 1.15), between(0.9, 1.1)],
      /** Widths of the resonances, in Hz. */
      bandwidths: [between(60, 120), between(80, 170), between(110, 240), between(160, 340)],
      /** Resonances of the nose and of the room, which do not depend on the spoken sound. */
      colours: [1, 2, 3].map((third) => ({
        hz: 200 + 2000 * (third - 1) + between(0, 1900),
        gain: between(4, 14),
        bandwidth: between(150, 500),
      })),
      syllableSeconds: between(0.13, 0.19),
    };
  });
}
