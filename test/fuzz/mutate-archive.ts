import { openZip } from "../../src/formats/zip/open-zip.ts";
import { readZipEntry } from "../../src/formats/zip/read-zip-entry.ts";
import { byteMutators, oddNumber } from "./mutate-bytes.ts";
import { type PackedEntry, packZip } from "./pack-zip.ts";
import type { Random } from "./random.ts";
import type { Mutator } from "./reader.ts";

/** Names of entries that want out of the folder, or to be something else than they seem. */
export const oddNames: readonly string[] = [
  "",
  ".",
  "..",
  "../x",
  "../../../../tmp/x",
  "/etc/passwd",
  "a/../../x",
  "a//b",
  "C:\\x",
  "..\\x",
  "a\0b",
  "a\nb",
  "\u202egpj",
  "é".repeat(200),
  "a".repeat(5000),
  "__proto__",
  "constructor",
  "-rf",
  " ",
  "a/",
];

/** Entries of an archive, or undefined if it is too damaged for that. */
function entriesOf(bytes: Buffer): PackedEntry[] | undefined {
  try {
    const archive = openZip(bytes);
    return [...archive.entries.values()].map((entry) => {
      return { name: entry.name, data: readZipEntry(archive, entry), deflate: entry.compressed };
    });
  } catch {
    return undefined;
  }
}

/** Changes an archive from within and packs it again, so that sizes and checksums are right but for what lies. */
export function mutateEntries(mutateData: Mutator): Mutator {
  return (bytes, random) => {
    const entries = entriesOf(bytes);
    if (entries === undefined || entries.length === 0) return random.pick(byteMutators)(bytes, random);
    const at = random.below(entries.length);
    const changed = changeEntry(entries[at]!, random, mutateData);
    return packZip(random.chance(0.1) ? [...entries, changed] : entries.with(at, changed));
  };
}

function changeEntry(entry: PackedEntry, random: Random, mutateData: Mutator): PackedEntry {
  const size = BigInt(entry.data.length);
  const odd = (): number => Number(BigInt.asUintN(32, oddNumber(random, size, entry.data.length)));
  switch (random.below(10)) {
    case 0:
      return { ...entry, name: random.pick(oddNames) };
    case 1:
      return { ...entry, size: odd() };
    case 2:
      return { ...entry, storedSize: odd() };
    case 3:
      return { ...entry, deflate: true, data: Buffer.alloc(random.pick([0, 1, 1 << 16, 1 << 22])) };
    case 4:
      return { ...entry, method: random.pick([0, 1, 8, 9, 12, 14, 93, 99]), flags: random.pick([0, 1, 8, 0x800]) };
    case 5:
      // A symbolic link of Unix.
      return { ...entry, attributes: 0xa1ff0000, data: Buffer.from("/etc/passwd"), deflate: false };
    default:
      return { ...entry, deflate: random.chance(0.3), data: mutateData(Buffer.from(entry.data), random) };
  }
}

const bombBytes = 256 << 20;

/** A deflated entry of zeros. */
export function deflatedZeros(name: string): Buffer {
  return packZip([{ name, data: Buffer.alloc(bombBytes), deflate: true }]);
}
