import { requireWithin } from "../../formats/byte-source.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import { type BlockCache, blockBytes } from "./block-cache.ts";
import type { ByteStore } from "./byte-store.ts";
import { type FilePart, type RangeAnswer, type RemoteFile, requestRange, unreadable } from "./request.ts";

const blocksAhead = 2;

/**
 * A file on a server, read in blocks of one megabyte that are kept on disk. Every answer must be of the version that was
 * there when the file was opened.
 */
export async function openRemoteStore(file: RemoteFile, cache: BlockCache): Promise<ByteStore> {
  const { size, version, validator } = await look(file);
  const coming = new Map<number, Promise<Buffer>>();
  let last = -2;
  const fetchBlock = async (block: number): Promise<Buffer> => {
    const kept = cache.read(version, block, Math.min(blockBytes, size - block * blockBytes));
    if (kept !== undefined) return kept;
    const range = { from: block * blockBytes, to: Math.min(size, (block + 1) * blockBytes) - 1 };
    const bytes = partOf(await requestRange(file, range, validator), file, { ...range, version });
    cache.write(version, block, bytes);
    return bytes;
  };
  const blockAt = (block: number): Promise<Buffer> => {
    let promise = coming.get(block);
    if (promise === undefined) {
      promise = fetchBlock(block);
      coming.set(block, promise);
      const forget = () => coming.delete(block);
      promise.then(() => setTimeout(forget, 1000).unref(), forget);
    }
    return promise;
  };
  const ahead = (block: number): void => {
    if (block === last + 1) {
      for (let next = block + 1; next <= block + blocksAhead && next * blockBytes < size; next++)
        blockAt(next).catch(() => {});
    }
    last = block;
  };
  const store: ByteStore = {
    name: file.name,
    key: file.key,
    size,
    version,
    async read(offset, length) {
      requireWithin(store, offset, length);
      if (length === 0) return Buffer.alloc(0);
      const [first, end] = [Math.floor(offset / blockBytes), Math.floor((offset + length - 1) / blockBytes)];
      const parts = Array.from({ length: end - first + 1 }, (_, i) => blockAt(first + i));
      ahead(end);
      const bytes = Buffer.concat(await Promise.all(parts));
      return bytes.subarray(offset - first * blockBytes, offset - first * blockBytes + length);
    },
    close() {
      coming.clear();
    },
  };
  return store;
}

/** Size and version of a file, from an answer for its first byte: not all servers answer HEAD. */
async function look(file: RemoteFile) {
  const answer = await requestRange(file, { from: 0, to: 0 });
  const total = /\/(\d{1,15})$/.exec(answer.headers.get("content-range") ?? "")?.[1];
  if (answer.status === 416) throw unreadable(file.name, "the file is empty, or the server gives no parts of it");
  if (answer.status !== 206 || total === undefined) {
    const isWhole = answer.status === 200 ? "; it does not serve parts of files (range requests)" : "";
    throw unreadable(file.name, `the server answers ${answer.status}${isWhole}`);
  }
  const etag = answer.headers.get("etag");
  const version = etag ?? answer.headers.get("last-modified");
  if (version === null)
    throw unreadable(file.name, "the server gives neither ETag nor Last-Modified: a change could not be noticed");
  // A weak ETag cannot be asked for; the answer is compared in any case.
  const validator: Record<string, string> = etag?.startsWith("W/") === true ? {} : { "if-range": version };
  return { size: Number(total), version, validator };
}

function partOf(
  { status, headers, bytes }: RangeAnswer,
  { name }: RemoteFile,
  { from, to, version }: FilePart & { readonly version: string },
): Buffer {
  const isSame = (headers.get("etag") ?? headers.get("last-modified")) === version;
  if (status === 206 && isSame) return bytes;
  if (status === 200 || status === 206 || status === 412 || status === 416) {
    throw refuseFile(name, from, "the file on the server has changed since it was opened", {
      hint: "Open it again: its index is then built again. A run over it is another run.",
    });
  }
  throw unreadable(name, `the server answers ${status} for bytes ${from} to ${to}`);
}
