// Makes a small speech corpus: synthetic voices, a manifest, and some bad utterances for the cleaning to find.
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeWav } from "millrace/speech";
import { randomNumbers } from "./random-numbers.mjs";
import { makeWords, sampleRate, speak } from "./speak.mjs";
import { makeVoices } from "./voices.mjs";

// The flaw of each bad utterance; the others are good.
const flaws = new Map([
  [3, "silent"],
  [17, "clipped"],
  [22, "short"],
  [29, "digits"],
  [38, "quiet"],
  [45, "broken"],
  [50, "clipped"],
  [61, "silent"],
  [70, "digits"],
  [77, "wordless"],
  [83, "short"],
]);

/** Writes `manifest.tsv` and `wav/` into a folder, unless they exist. Returns the path of the manifest. */
export function makeCorpus(folder, { speakers = 8, utterances = 12 } = {}) {
  const manifest = join(folder, "manifest.tsv");
  if (existsSync(manifest)) return manifest;
  mkdirSync(join(folder, "wav"), { recursive: true });
  const rows = [];
  for (const [s, voice] of makeVoices(speakers).entries()) {
    for (let u = 0; u < utterances; u++) {
      const id = `${voice.name}-${String(u + 1).padStart(3, "0")}`;
      const { samples, text, bytes } = makeUtterance(voice, id, flaws.get(s * utterances + u));
      writeFileSync(join(folder, "wav", `${id}.wav`), bytes ?? encodeWav(samples, { sampleRate }));
      rows.push([id, `wav/${id}.wav`, text, voice.name].join("\t"));
    }
  }
  // Written last and renamed: an interrupted call leaves no manifest, and the next call makes the corpus again.
  writeFileSync(`${manifest}.tmp`, `${rows.join("\n")}\n`);
  renameSync(`${manifest}.tmp`, manifest);
  return manifest;
}

function makeUtterance(voice, id, flaw) {
  const random = randomNumbers(id);
  const words = makeWords(random, 3 + Math.floor(random() * 2));
  const samples = speak(voice, words, random);
  // As in real corpora: a capital letter, a full stop, a blank too many.
  const text = `${words[0][0].toUpperCase()}${words.join("  ").slice(1)}.`;
  if (flaw === "silent") return { text, samples: samples.map(() => 0.0002 * (random() - 0.5)) };
  if (flaw === "clipped") return { text, samples: samples.map((sample) => Math.max(-1, Math.min(1, 12 * sample))) };
  if (flaw === "short") return { text, samples: samples.slice(6000, 8000) };
  if (flaw === "quiet") return { text, samples: samples.map((sample) => sample / 400) };
  if (flaw === "digits") return { text: `${text} take ${1 + Math.floor(random() * 9)}`, samples };
  if (flaw === "wordless") return { text: " ... ", samples };
  if (flaw === "broken") return { text, bytes: encodeWav(samples, { sampleRate }).subarray(0, 3000) };
  return { text, samples };
}
