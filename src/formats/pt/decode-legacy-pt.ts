import type { OutputMeter } from "../../input/output-limit.ts";
import { badFile } from "../bad-file.ts";
import type { ByteSource } from "../byte-source.ts";
import { layouts } from "../nd-array.ts";
import { readUint64 } from "../zip/zip-records.ts";
import { buildPtValue } from "./build-pt-value.ts";
import { type PickleNode, StorageNode, TensorNode, Tuple } from "./pickle-nodes.ts";
import type { PtValue } from "./pt-value.ts";
import { unpickle } from "./unpickle.ts";

// The pickle of the magic number at the start of every such file, up to its protocol.
const magic = Buffer.from("8a0a6cfc9c46f9206aa85019", "hex");
const formatVersion = 1001;

/** True for the format that PyTorch wrote before 1.6 (or on request): pickles, then raw numbers. */
export function isLegacyPt(source: ByteSource): boolean {
  if (source.size < 16) return false;
  return source.read(2, magic.length).equals(magic) && source.read(0, 1)[0] === 0x80;
}

/** Reads such a file: magic, version, system information, the value, the keys of its storages, then the storages. */
export function decodeLegacyPt(source: ByteSource, meter: OutputMeter): PtValue {
  const bytes = source.read(0, source.size);
  const fail = (problem: string, offset = 0) => badFile(source.name, offset, problem);
  let at = 0;
  const next = (): PickleNode => {
    const { value, end } = unpickle({ bytes, name: source.name, fileOffset: 0, meter }, at);
    at = end;
    return value;
  };
  next();
  if (next() !== formatVersion) throw fail(`this .pt file is not of version ${formatVersion}`, at);
  const machine = next();
  if (!(machine instanceof Map) || machine.get("little_endian") !== true) {
    throw fail("the tensors were saved on a big-endian machine; load and save it again with torch on another", at);
  }
  const pickleStart = at;
  const value = next();
  const pickleBytes = at - pickleStart;
  const keys = next();
  const itemBytes = itemBytesByKey(value);
  const storages = new Map<string, Uint8Array>();
  for (const key of Array.isArray(keys) ? keys : []) {
    const size = typeof key === "string" ? itemBytes.get(key) : undefined;
    if (size === undefined) throw fail("a storage belongs to no tensor of the file", at);
    if (at + 8 > bytes.length) throw fail("the file ends before its last storage", at);
    const length = readUint64(bytes, at) * size;
    at += 8;
    if (!(at + length <= bytes.length))
      throw fail(`a storage of ${length} bytes reaches beyond the end of the file`, at);
    storages.set(key as string, bytes.subarray(at, at + length));
    at += length;
  }
  if (at !== bytes.length) throw fail(`${bytes.length - at} bytes follow the last storage`, at);
  const readStorage = (key: string) => {
    const found = storages.get(key);
    if (found === undefined) throw fail(`the storage ${JSON.stringify(key)} of a tensor is missing`, at);
    return found;
  };
  return buildPtValue(value, {
    readStorage,
    fail: (problem) => fail(problem, pickleStart),
    meter,
    fileBytes: bytes.length,
    pickleBytes,
  });
}

/** The element size of each storage, which only the tensors know. Each container is visited once. */
function itemBytesByKey(root: PickleNode): Map<string, number> {
  const found = new Map<string, number>();
  const seen = new Set<PickleNode>();
  const waiting: PickleNode[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node === null || typeof node !== "object" || seen.has(node)) continue;
    seen.add(node);
    const storage = node instanceof TensorNode ? node.storage : node;
    if (storage instanceof StorageNode) {
      found.set(storage.key, storage.dtype === undefined ? 1 : layouts[storage.dtype].itemBytes);
    } else {
      for (const part of partsOf(node)) waiting.push(part);
    }
  }
  return found;
}

function partsOf(node: PickleNode): Iterable<PickleNode> {
  if (Array.isArray(node)) return node;
  if (node instanceof Tuple) return node.items;
  return node instanceof Map ? node.values() : [];
}
