import { deflateRawSync } from "node:zlib";
import { crc32 } from "../../src/bytes/crc32.ts";

/** An entry of an archive; what is not given is true. */
export interface PackedEntry {
  readonly name: string;
  readonly data: Uint8Array;
  readonly deflate?: boolean;
  readonly size?: number;
  readonly storedSize?: number;
  readonly method?: number;
  readonly flags?: number;
  readonly attributes?: number;
}

/** A zip archive put together field by field: names and sizes may be lies, checksums are right. */
export function packZip(entries: readonly PackedEntry[]): Buffer {
  const [bodies, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const stored = entry.deflate === true ? deflateRawSync(entry.data) : entry.data;
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(entry.flags ?? 0, 2);
    shared.writeUInt16LE(entry.method ?? (entry.deflate === true ? 8 : 0), 4);
    shared.writeUInt32LE(crc32(entry.data), 10);
    shared.writeUInt32LE((entry.storedSize ?? stored.length) >>> 0, 14);
    shared.writeUInt32LE((entry.size ?? entry.data.length) >>> 0, 18);
    shared.writeUInt16LE(name.length & 0xffff, 22);
    const end = Buffer.alloc(14);
    end.writeUInt32LE((entry.attributes ?? 0) >>> 0, 6);
    end.writeUInt32LE(offset, 10);
    bodies.push(Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), shared, name, stored]));
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\0", "latin1"), shared, end, name]));
    offset += bodies.at(-1)!.length;
  }
  const whole = Buffer.concat(directory);
  const last = Buffer.alloc(22);
  last.write("PK\x05\x06", "latin1");
  last.writeUInt16LE(entries.length, 8);
  last.writeUInt16LE(entries.length, 10);
  last.writeUInt32LE(whole.length, 12);
  last.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, whole, last]);
}
