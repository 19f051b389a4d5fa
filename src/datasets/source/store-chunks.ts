import type { ByteStore } from "./byte-store.ts";

const chunkBytes = 4 * 2 ** 20;

/** The bytes of a store in order, with the next part asked for before the last one is worked on. */
export async function* storeChunks(store: ByteStore): AsyncGenerator<Buffer> {
  const read = (offset: number) =>
    offset < store.size ? store.read(offset, Math.min(chunkBytes, store.size - offset)) : undefined;
  let next = read(0);
  for (let offset = 0; next !== undefined; offset += chunkBytes) {
    const chunk = await next;
    next = read(offset + chunkBytes);
    // An error is thrown where the part is awaited, and must not end the process before.
    if (next instanceof Promise) next.catch(() => {});
    yield chunk;
  }
}
