import type { Readable } from "node:stream";
import { isMillraceError, messageOf } from "../../errors/errors.ts";
import { refuseFile } from "../refuse-file.ts";
import { type Compression, decompressor } from "./compression.ts";

/** Decompresses a stream chunk by chunk; damage is an error with its position. */
export async function* inflateChunks(
  packed: Readable,
  compression: Compression,
  name: string,
): AsyncGenerator<Uint8Array> {
  const transform = decompressor(compression, name);
  let [packedBytes, bytes] = [0, 0];
  try {
    if (transform !== undefined) {
      packed.on("data", (chunk: Uint8Array) => {
        packedBytes += chunk.length;
      });
      packed.on("error", (error) => transform.destroy(error));
    }
    for await (const chunk of (transform === undefined ? packed : packed.pipe(transform)) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      yield chunk;
    }
  } catch (cause) {
    if (isMillraceError(cause)) throw cause;
    const what = `cannot be read on as ${compression} (${messageOf(cause)})`;
    const place = transform === undefined ? bytes : packedBytes;
    throw refuseFile(name, place, `${what}, ${bytes} bytes of text after its beginning`, { cause });
  } finally {
    transform?.destroy();
  }
}
