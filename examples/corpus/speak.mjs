// Speech by the source-filter model: glottal pulses and noise, filtered by resonances that move from vowel to vowel.

export const sampleRate = 16_000;

// The first four resonances of a neutral vocal tract, in Hz. As in relaxed speech, vowels differ little.
const vowels = {
  a: [640, 1250, 2450, 3420],
  e: [530, 1620, 2490, 3470],
  i: [400, 1840, 2700, 3520],
  o: [550, 1120, 2440, 3370],
  u: [420, 1140, 2360, 3350],
};

// The voice and noise levels of a consonant, and the centre of its noise in Hz.
const consonants = {
  m: { voice: 0.35, noise: 0, hz: 0 },
  n: { voice: 0.4, noise: 0, hz: 0 },
  l: { voice: 0.6, noise: 0, hz: 0 },
  s: { voice: 0, noise: 0.35, hz: 5200 },
  f: { voice: 0, noise: 0.2, hz: 3800 },
  t: { voice: 0, noise: 0.3, hz: 4200 },
  k: { voice: 0, noise: 0.3, hz: 1900 },
};

/** Words of syllables "consonant vowel", so that the text says exactly what is spoken. */
export function makeWords(random, wordCount) {
  const pick = (letters) => letters[Math.floor(random() * letters.length)];
  const syllable = () => pick(Object.keys(consonants)) + pick(Object.keys(vowels));
  return Array.from({ length: wordCount }, () =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, syllable).join(""),
  );
}

/** Samples of a voice that says these words, with pauses before, between and after them, and room noise. */
export function speak(voice, words, random) {
  const pieces = [{ seconds: 0.2 + 0.2 * random() }];
  for (const word of words) {
    for (let i = 0; i < word.length; i += 2) {
      const stress = 0.75 + 0.25 * random();
      pieces.push({
        seconds: 0.25 * voice.syllableSeconds,
        consonant: consonants[word[i]],
        vowel: vowels[word[i + 1]],
        stress,
      });
      pieces.push({ seconds: voice.syllableSeconds * (0.75 + 0.4 * random()), vowel: vowels[word[i + 1]], stress });
    }
    pieces.push({ seconds: 0.05 + 0.1 * random() });
  }
  pieces.push({ seconds: 0.2 + 0.2 * random() });
  const samples = filterSource(voice, pieces, random);
  return toLevel(samples, 0.25 + 0.3 * random(), random);
}

function filterSource(voice, pieces, random) {
  const total = pieces.reduce((sum, { seconds }) => sum + Math.round(seconds * sampleRate), 0);
  const samples = new Float32Array(total);
  const resonators = voice.bandwidths.map((bandwidth) => new Resonator(bandwidth));
  const hiss = new Resonator(1200);
  const colours = voice.colours.map(({ hz, bandwidth }) => makeBand(hz, bandwidth));
  const pitch = voice.pitchHz * (0.96 + 0.08 * random());
  const formants = [...vowels.a];
  let [phase, period, voicing, noising, pulse] = [0, 1, 0, 0, 0];
  let at = 0;
  for (const { seconds, vowel, consonant, stress = 0 } of pieces) {
    const length = Math.round(seconds * sampleRate);
    const target = vowel ? vowel.map((hz, i) => hz * voice.tractScale * voice.formantShift[i]) : [...formants];
    const goal = { voice: vowel ? (consonant?.voice ?? 1) * stress : 0, noise: consonant?.noise ?? 0 };
    if (consonant?.hz) hiss.tune(consonant.hz * voice.tractScale);
    for (let i = 0; i < length; i++, at++) {
      // All parameters change smoothly, as in a real mouth.
      voicing += (goal.voice - voicing) * 0.004;
      noising += (goal.noise - noising) * 0.008;
      if (i % 32 === 0) {
        for (let k = 0; k < resonators.length; k++) {
          formants[k] += (target[k] - formants[k]) * 0.12;
          resonators[k].tune(formants[k]);
        }
      }
      phase += (pitch * (1 - (0.12 * at) / total)) / sampleRate;
      if (phase >= period) {
        phase -= period;
        period = 1 + voice.jitter * (random() - 0.5) * 2;
        pulse = 1;
      }
      // A decaying pulse. A slow decay makes a soft voice: its spectrum falls faster.
      const source = voicing * (pulse + voice.breath * (random() - 0.5) * 4);
      pulse *= voice.tilt;
      let sound = source;
      for (let k = 0; k < resonators.length; k++) sound = resonators[k].pass(sound);
      let coloured = sound + 0.4 * hiss.pass(noising * (random() - 0.5));
      for (let k = 0; k < colours.length; k++) coloured += voice.colours[k].gain * colours[k].pass(sound);
      samples[at] = coloured;
    }
  }
  return samples;
}

/** A two-pole filter with gain 1 at zero frequency, for a chain of formants. */
class Resonator {
  constructor(bandwidth) {
    this.r = Math.exp((-Math.PI * bandwidth) / sampleRate);
    this.a = 1;
    this.b = 0;
    this.c = -this.r * this.r;
    this.before = 0;
    this.earlier = 0;
  }

  tune(hz) {
    this.b = 2 * this.r * Math.cos((2 * Math.PI * Math.min(hz, 0.48 * sampleRate)) / sampleRate);
    this.a = 1 - this.b - this.c;
  }

  pass(input) {
    const output = this.a * input + this.b * this.before + this.c * this.earlier;
    this.earlier = this.before;
    this.before = output;
    return output;
  }
}

/** A band-pass filter with gain 1 at its centre. */
function makeBand(hz, bandwidth) {
  const band = new Resonator(bandwidth);
  band.tune(hz);
  band.a = (1 - band.r) * Math.sqrt(1 - 2 * band.r * Math.cos((4 * Math.PI * hz) / sampleRate) + band.r * band.r);
  return band;
}

/** Scales samples to a peak level and adds quiet room noise. */
function toLevel(samples, peak, random) {
  const loudest = samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 1e-9);
  return samples.map((sample) => (sample * peak) / loudest + 0.0008 * (random() - 0.5));
}
