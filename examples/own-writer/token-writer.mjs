// A custom writer: the token ids of all documents in one binary file, and the end of each document in another, as
// programs that train language models map them into memory.
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";

export const tokensName = "tokens.u16";
export const endsName = "document-ends.u32";

/** Writes documents, each a list of token ids. With `checkpoint` and `restore` a killed shard continues from its last checkpoint. */
export class TokenWriter {
  #shardDir;
  #files;
  #tokens = 0;
  #documents = 0;

  constructor(shardDir) {
    this.#shardDir = shardDir;
  }

  write(ids) {
    // Opened at the first document only: `restore` may come first, and needs the bytes in the files.
    this.#files ??= this.#open("w");
    this.#tokens += ids.length;
    this.#documents++;
    writeFully(this.#files.tokens, Uint16Array.from(ids));
    writeFully(this.#files.ends, Uint32Array.of(this.#tokens));
  }

  /** The valid length of each file, and what `restore` needs. All bytes were written already; nothing is buffered here. */
  checkpoint() {
    if (this.#files === undefined) return { files: [] };
    const files = [
      { name: tokensName, bytes: 2 * this.#tokens },
      { name: endsName, bytes: 4 * this.#documents },
    ];
    return { files, token: { tokens: this.#tokens, documents: this.#documents } };
  }

  /** Called in the folder of the next attempt, in which the files hold exactly the bytes that the checkpoint named. */
  restore({ files, token }) {
    if (files.length === 0) return;
    this.#files = this.#open("a");
    this.#tokens = token.tokens;
    this.#documents = token.documents;
  }

  close() {
    if (this.#files === undefined) return;
    closeSync(this.#files.tokens);
    closeSync(this.#files.ends);
    this.#files = undefined;
  }

  #open(flags) {
    const open = (name) => openSync(join(this.#shardDir, name), flags);
    return { tokens: open(tokensName), ends: open(endsName) };
  }
}

function writeFully(fd, array) {
  const bytes = Buffer.from(array.buffer);
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}
