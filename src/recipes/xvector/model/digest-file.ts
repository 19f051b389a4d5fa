import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat } from "node:fs/promises";

/** The SHA-256 of a file. */
export function digestFile(path: string): Promise<string> {
  return hashFile(path, "sha256");
}

/** The git blob id of a file: a SHA-1 over its length and its content. */
export async function gitBlobId(path: string): Promise<string> {
  return hashFile(path, "sha1", `blob ${(await lstat(path)).size}\0`);
}

async function hashFile(path: string, algorithm: string, beginning = ""): Promise<string> {
  const hash = createHash(algorithm).update(beginning);
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
