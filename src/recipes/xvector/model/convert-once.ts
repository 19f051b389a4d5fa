import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { converterVersion, type SpeakerCheckpoint } from "../../../speech.ts";
import { replaceCacheFile } from "./cache-folder.ts";
import { digestFile } from "./digest-file.ts";

/** The folder of converted models, beside the caches of other programs. */
function convertedFolder(): string {
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "millrace", "models");
}

/**
 * The ONNX file of a checkpoint, converted once: it is kept under the digest of its source and the version of the
 * converter. A file that is not as it was written is made again. Several workers may do so at the same time: they write
 * the same bytes, and each file appears whole. If nothing can be written there, the bytes themselves.
 */
export async function convertOnce(checkpoint: SpeakerCheckpoint, source: string): Promise<string | Uint8Array> {
  const folder = convertedFolder();
  const path = join(folder, `${source}.v${converterVersion}.onnx`);
  if (await isIntact(path)) return path;
  const bytes = checkpoint.convert();
  const digest = createHash("sha256").update(bytes).digest("hex");
  try {
    mkdirSync(folder, { recursive: true });
    replaceCacheFile(path, bytes);
    // Last: a file without it is made again.
    replaceCacheFile(`${path}.sha256`, `${digest}\n`);
  } catch {
    return bytes;
  }
  return path;
}

async function isIntact(path: string): Promise<boolean> {
  try {
    return readFileSync(`${path}.sha256`, "utf8").trim() === (await digestFile(path));
  } catch {
    return false;
  }
}
