// Tokenises documents into two binary files with a custom writer, which keeps checkpoints as the built-in writers do.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineRun, isMainModule, range } from "millrace";
import { endsName, TokenWriter, tokensName } from "./token-writer.mjs";

const words = ["the", "mill", "turns", "by", "night", "and", "day", "until", "its", "river", "sleeps"];

export const tokenise = defineRun(import.meta, {
  env: () => ({ vocabulary: new Map(words.map((word, id) => [word, id])) }),
  forward: (idx, { vocabulary }) =>
    documentOf(idx)
      .split(" ")
      .map((word) => vocabulary.get(word)),
  writers: (shardDir) => ({ tokens: new TokenWriter(shardDir) }),
  write: ({ tokens }, ids) => tokens.write(ids),
  // Joins the shards in item order. The ends of a shard count from its own start, so they are shifted.
  merge: (shards, { runDir }) => {
    const tokens = shards.map(({ dir }) => readFileSync(join(dir, tokensName)));
    let before = 0;
    const ends = shards.flatMap(({ dir }, shard) => {
      const { buffer, byteOffset, byteLength } = readFileSync(join(dir, endsName));
      const inShard = new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength));
      const inRun = Array.from(inShard, (end) => before + end);
      before += tokens[shard].length / 2;
      return inRun;
    });
    writeFileSync(join(runDir, tokensName), Buffer.concat(tokens));
    writeFileSync(join(runDir, endsName), new Uint8Array(Uint32Array.from(ends).buffer));
    return { documents: ends.length, tokens: before };
  },
});

/** The text of a document: 5 to 54 words, always the same for the same index. */
function documentOf(idx) {
  return Array.from({ length: 5 + (idx % 50) }, (_, n) => words[(idx * 7 + n * n) % words.length]).join(" ");
}

if (isMainModule(import.meta)) {
  const [outputDir = "exp/own-writer"] = process.argv.slice(2);
  const options = { outputDir, shards: 8, parallel: { env: "process", n_workers: 2 } };
  const { documents, tokens } = await tokenise.run(range(20_000), options);
  console.log(`${documents} documents, ${tokens} tokens in ${join(outputDir, tokensName)}`);
}
