import { openBlockCache } from "./block-cache.ts";
import type { ByteStore } from "./byte-store.ts";
import { openFileStore } from "./file-store.ts";
import { isRemote } from "./remote-address.ts";
import { remoteFile } from "./remote-file.ts";
import { openRemoteStore } from "./remote-store.ts";

/** Opens a file by its path or address. */
export async function openStore(place: string): Promise<ByteStore> {
  if (!isRemote(place)) return openFileStore(place);
  const file = remoteFile(place);
  return openRemoteStore(file, openBlockCache(file.key));
}
