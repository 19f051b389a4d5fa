import { OutputMeter, outputLimit, tooMuchOutput } from "../../input/output-limit.ts";
import { badFile } from "../bad-file.ts";
import { type ByteSource, type Bytes, toByteSource } from "../byte-source.ts";
import { openZip, type ZipArchive, type ZipEntry, type ZipOptions } from "../zip/open-zip.ts";
import { findEntryData, readZipEntry } from "../zip/read-zip-entry.ts";
import { buildPtValue } from "./build-pt-value.ts";
import { decodeLegacyPt, isLegacyPt } from "./decode-legacy-pt.ts";
import type { PtValue } from "./pt-value.ts";
import { unpickle } from "./unpickle.ts";

/**
 * The content of a .pt file: tensors and plain values, read without running any code. Tensors in C order share the
 * memory of the bytes, others are copied.
 */
export function decodePt(input: Bytes, options: ZipOptions = {}): PtValue {
  const source = toByteSource(input, options.name);
  const meter = pickleMeter(source, options);
  if (isLegacyPt(source)) return decodeLegacyPt(source, meter);
  const archive = openZip(source, options);
  const pickleEntry = findPickle(archive);
  const prefix = pickleEntry.name.slice(0, -pickleName.length);
  refuseOtherKinds(archive, prefix);
  const bytes = readZipEntry(archive, pickleEntry);
  const fileOffset = findEntryData(archive, pickleEntry);
  const { value } = unpickle({ bytes, name: source.name, fileOffset, meter });
  return buildPtValue(value, {
    readStorage: (key) => readZipEntry(archive, findStorage(archive, `${prefix}data/${key}`)),
    fail: (problem) => badFile(source.name, fileOffset, problem),
    meter,
    fileBytes: source.size,
    pickleBytes: bytes.length,
  });
}

/** Counts the memory of what the pickle creates, without the numbers of its tensors, which are in the file. */
function pickleMeter(source: ByteSource, options: ZipOptions): OutputMeter {
  const what = "what its pickle describes";
  return new OutputMeter(outputLimit(source.size, options), (limit) =>
    tooMuchOutput("BAD_FILE", { where: `${source.name}, offset 0`, what, limit }),
  );
}

const pickleName = "data.pkl";

/** PyTorch puts everything below one folder, named after the file as first saved. */
function findPickle({ source, entries }: ZipArchive): ZipEntry {
  const found = [...entries.values()].filter(({ name }) => /^[^/]+\/data\.pkl$/.test(name));
  if (found.length === 1) return found[0]!;
  throw badFile(source.name, 0, "this zip archive is not a .pt file: it has no <name>/data.pkl");
}

function refuseOtherKinds(archive: ZipArchive, prefix: string): void {
  const { source, entries } = archive;
  if (entries.has(`${prefix}constants.pkl`)) {
    throw badFile(source.name, 0, "this is a TorchScript module, which is code", "Save its state_dict() instead.");
  }
  const byteOrder = entries.get(`${prefix}byteorder`);
  if (byteOrder !== undefined && readZipEntry(archive, byteOrder).toString("latin1").trim() !== "little") {
    throw badFile(
      source.name,
      byteOrder.headerOffset,
      "the tensors were saved on a big-endian machine",
      "Load and save it again with torch on a little-endian one.",
    );
  }
}

function findStorage({ source, entries }: ZipArchive, name: string): ZipEntry {
  const entry = entries.get(name);
  if (entry === undefined) throw badFile(source.name, 0, `the storage ${JSON.stringify(name)} of a tensor is missing`);
  return entry;
}
