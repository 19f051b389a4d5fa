// Tokenises documents into two binary files with a writer of its own, which keeps checkpoints like those that come along.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BaseRunner, EnvironmentProvider, isMainModule, range } from "millrace";
import { endsName, TokenWriter, tokensName } from "./token-writer.mjs";

const words = ["the", "mill", "turns", "by", "night", "and", "day", "until", "its", "river", "sleeps"];

export class DocumentProvider extends EnvironmentProvider {
  static module = import.meta.url;

  buildEnvLocal() {
    const wordsOf = (idx) => Array.from({ length: 5 + (idx % 50) }, (_, n) => words[(idx * 7 + n * n) % words.length]);
    return {
      documents: { get: (idx) => wordsOf(idx).join(" ") },
      vocabulary: new Map(words.map((word, id) => [word, id])),
    };
  }
}

export class TokenRunner extends BaseRunner {
  static module = import.meta.url;

  static forward(idx, { documents, vocabulary }) {
    return documents
      .get(idx)
      .split(" ")
      .map((word) => vocabulary.get(word));
  }

  static openWriters(shardDir) {
    return { tokens: new TokenWriter(shardDir) };
  }

  static writeRecord({ tokens }, ids) {
    tokens.write(ids);
  }

  /** The shards one behind the other, in item order; the ends count from the beginning of the whole. */
  merge(shardDirs) {
    const tokens = shardDirs.map((dir) => readFileSync(join(dir, tokensName)));
    let before = 0;
    const ends = shardDirs.flatMap((dir, shard) => {
      const { buffer, byteOffset, byteLength } = readFileSync(join(dir, endsName));
      const own = Array.from(new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength)), (end) => before + end);
      before += tokens[shard].length / 2;
      return own;
    });
    writeFileSync(join(this.runDir, tokensName), Buffer.concat(tokens));
    writeFileSync(join(this.runDir, endsName), new Uint8Array(Uint32Array.from(ends).buffer));
    return { documents: ends.length, tokens: before };
  }
}

if (isMainModule(import.meta.url)) {
  const [outputDir = "exp/own-writer"] = process.argv.slice(2);
  const options = { outputDir, shards: 8, parallel: { env: "process", n_workers: 2 } };
  const { documents, tokens } = await new TokenRunner(new DocumentProvider({}), options).run(range(20_000));
  console.log(`${documents} documents, ${tokens} tokens in ${join(outputDir, tokensName)}`);
}
