// Makes a corpus of texts, the same every time: some are short, foreign or repeated, some have too many blanks.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const subjects = ["The old mill", "A small river", "Her brother", "The night train", "Our neighbour"];
const verbs = ["turns", "waits for", "remembers", "follows", "forgets"];
const objects = ["the town", "an answer", "the long winter", "a red lamp", "what was said"];

/** Writes `{ id, text }` lines, unless the file exists. Returns its path. */
export function makeCorpus(path, { texts = 2000 } = {}) {
  if (existsSync(path)) return path;
  mkdirSync(dirname(path), { recursive: true });
  const lines = Array.from({ length: texts }, (_, n) => JSON.stringify({ id: `text${n}`, text: textOf(n) }));
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

function textOf(n) {
  if (n % 40 === 7) return " Yes.  ";
  if (n % 50 === 11) return "Старая мельница медленно вертится у реки";
  const sentence = `${subjects[n % 5]}  ${verbs[Math.floor(n / 5) % 5]} ${objects[Math.floor(n / 25) % 5]}`;
  return n % 10 === 0 ? `${sentence}.` : `${sentence}, number ${n} .`;
}
