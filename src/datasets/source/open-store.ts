import type { ByteStore } from "./byte-store.ts";
import { openFileStore } from "./file-store.ts";

/** Opens a file by its path or address. */
export async function openStore(place: string): Promise<ByteStore> {
  return openFileStore(place);
}
