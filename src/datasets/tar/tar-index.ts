import { crc32 } from "../../bytes/crc32.ts";
import { compressionOfBytes } from "../../formats/lines/compression.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import { type WalkedEntry, walkTar } from "../../formats/tar/read-tar.ts";
import { sampleNameOf } from "../../formats/tar/read-web-dataset.ts";
import type { IndexFile } from "../index/index-file.ts";
import { openIndex } from "../index/kept-index.ts";
import type { ByteStore } from "../source/byte-store.ts";

/** Which files of an archive are one row: those of one key (WebDataset), or two at a time (the data and JSON of Lhotse Shar). */
type TarGrouping = "keys" | "pairs";

export interface TarIndexOptions {
  readonly grouping: TarGrouping;
  readonly indexDir?: string | undefined;
}

/** The index of an archive: where the rows are. It is built by reading the headers, not the contents. */
export async function openTarIndex(store: ByteStore, { grouping, indexDir }: TarIndexOptions): Promise<IndexFile> {
  return openIndex({
    store,
    rules: `tar ${grouping}`,
    indexDir,
    build: async (writer, subject) => {
      await refuseCompressed(store);
      const groups = new RowStarts(grouping, (start) => writer.addRow(start));
      const { end, crc } = await walkStore(store, (entry) => groups.add(entry));
      groups.finish(store.name);
      writer.finish(end, { subject, textBytes: store.size, crc });
    },
  });
}

/** Finds where a row begins, from the entries in order. */
class RowStarts {
  private readonly grouping: TarGrouping;
  private readonly begin: (start: number) => void;
  private key: string | undefined;
  private files = 0;
  private last = 0;

  constructor(grouping: TarGrouping, begin: (start: number) => void) {
    this.grouping = grouping;
    this.begin = begin;
  }

  add({ name, kind, headerOffset }: WalkedEntry): void {
    if (kind !== "file") return;
    const key = this.grouping === "keys" ? sampleNameOf(name)?.key : `${this.files >> 1}`;
    if (key === undefined) return;
    if (key !== this.key) this.begin(headerOffset);
    this.key = key;
    this.files++;
    this.last = headerOffset;
  }

  finish(file: string): void {
    if (this.grouping === "keys" || this.files % 2 === 0) return;
    throw refuseFile(file, this.last, "the last file has no second one: data and JSON come in pairs");
  }
}

/** Walks over the headers of an archive that may be elsewhere; returns its end and a checksum of the headers. */
async function walkStore(
  store: ByteStore,
  onEntry: (entry: WalkedEntry) => void,
): Promise<{ end: number; crc: number }> {
  const steps = walkTar({ name: store.name, size: store.size });
  let [end, crc] = [0, 0];
  for (let step = steps.next(); step.done !== true; ) {
    const { value } = step;
    if ("kind" in value) {
      onEntry(value);
      end = value.offset + Math.ceil(value.sizeBytes / 512) * 512;
      step = steps.next(nothing);
    } else {
      const piece = await store.read(value.offset, value.length);
      crc = crc32(piece, crc);
      step = steps.next(piece);
    }
  }
  return { end: Math.min(end, store.size), crc };
}

const nothing = new Uint8Array(0);

async function refuseCompressed(store: ByteStore): Promise<void> {
  const compression = compressionOfBytes(await store.read(0, Math.min(4, store.size)));
  if (compression === "none") return;
  throw refuseFile(
    store.name,
    0,
    `it is compressed with ${compression}; files of a compressed archive cannot be found by their offset`,
    {
      hint: "Unpack it once: gzip -d or zstd -d. Audio in it is compressed already.",
    },
  );
}
