import { crc32 } from "../../bytes/crc32.ts";
import { bytesOfArray } from "../array-bytes.ts";
import { checkNdArray, type DType, isNdArray, type NdArray } from "../nd-array.ts";
import { zip } from "../zip/zip-records.ts";
import { type ZipEntryPlace, ZipWriter } from "../zip/zip-writer.ts";
import { picklePtValue } from "./pickle-pt-value.ts";
import type { PtInput } from "./pt-value.ts";

// PyTorch aligns the numbers so that a file can be mapped into memory.
const align = 64;
const version = Buffer.from("3\n");

/**
 * A tensor, or plain values and containers with tensors in them, as the bytes of a .pt file: in the format of
 * `torch.save`, so that `torch.load` opens it, also with `weights_only=True`.
 */
export function encodePt(value: PtInput): Buffer {
  if (isNdArray(value) && value.data.byteLength <= largestTemplate) return encodeFromTemplate(value);
  const pieces: Uint8Array[] = [];
  writeArchive(value, (bytes) => pieces.push(bytes));
  return Buffer.concat(pieces);
}

/** The positions of the parts of an archive that depend on the numbers of its one tensor. */
interface ArchivePlaces extends ZipEntryPlace {
  readonly directory: number;
}

function writeArchive(value: PtInput, sink: (bytes: Uint8Array) => void): ArchivePlaces {
  const { pickle, storages } = picklePtValue(value);
  const archive = new ZipWriter(sink);
  archive.add("archive/data.pkl", pickle, { align });
  let place: ZipEntryPlace = { headerOffset: 0, dataOffset: 0 };
  for (const [number, array] of storages.entries()) {
    place = archive.add(`archive/data/${number}`, bytesOfArray(array), { align });
  }
  archive.add("archive/version", version, { align });
  return { ...place, directory: archive.finish() };
}

interface Template {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly file: Buffer;
  readonly data: number;
  /** The two positions of the data's checksum. */
  readonly sums: readonly [number, number];
}

// Above this, the copy into the file costs more than the template saves.
const largestTemplate = 1 << 20;

// The usual case is one vector per utterance, all with one shape: everything except the numbers and their checksum
// stays the same.
let last: Template | undefined;

function encodeFromTemplate(tensor: NdArray): Buffer {
  const template = last !== undefined && fits(last, tensor) ? last : makeTemplate(tensor);
  last = template;
  checkNdArray(tensor);
  const bytes = bytesOfArray(tensor);
  const sum = crc32(bytes);
  const file = Buffer.allocUnsafe(template.file.length);
  file.set(template.file);
  file.set(bytes, template.data);
  file.writeUInt32LE(sum, template.sums[0]);
  file.writeUInt32LE(sum, template.sums[1]);
  return file;
}

function fits({ dtype, shape }: Template, tensor: NdArray): boolean {
  if (dtype !== tensor.dtype || shape.length !== tensor.shape.length) return false;
  return shape.every((dimension, axis) => dimension === tensor.shape[axis]);
}

function makeTemplate(tensor: NdArray): Template {
  const pieces: Uint8Array[] = [];
  const { headerOffset, dataOffset, directory } = writeArchive(tensor, (bytes) => pieces.push(bytes));
  const { dtype, shape } = tensor;
  const sums = [headerOffset + localSumAt, directory + secondInDirectory + centralSumAt] as const;
  return { dtype, shape: [...shape], file: Buffer.concat(pieces), data: dataOffset, sums };
}

// The position of a checksum in the two headers of an entry; in the directory the data comes after the pickle.
const localSumAt = 14;
const centralSumAt = 16;
const secondInDirectory = zip.centralBytes + "archive/data.pkl".length;
