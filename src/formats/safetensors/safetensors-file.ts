import { renameSync, rmSync } from "node:fs";
import { bytesOfArray } from "../array-bytes.ts";
import type { FileSink } from "../file-sink.ts";
import { type FileSource, openFileSource } from "../file-source.ts";
import type { NdArray } from "../nd-array.ts";
import { openSink } from "../open-sink.ts";
import { readBytes } from "../read-bytes.ts";
import {
  checkTensor,
  encodeSafetensorsHeader,
  type SafetensorsOptions,
  type TensorShape,
} from "./encode-safetensors.ts";
import { readSafetensors, type Safetensors } from "./read-tensor.ts";

/** Opens a file of tensors: the header is read, tensors when they are asked for. */
export function openSafetensors(path: string): Safetensors & Disposable & { close(): void } {
  const file: FileSource = openFileSource(path);
  try {
    const close = (): void => file.close();
    return { ...readSafetensors(file), close, [Symbol.dispose]: close };
  } catch (error) {
    file.close();
    throw error;
  }
}

const copyBytes = 1 << 22;

/**
 * Writes tensors to a file, one in memory at a time. The header comes first but is known last, so the data is written
 * to a file beside it and copied after the header at the end; the file appears under its name when it is complete.
 */
export async function writeSafetensorsFile(
  path: string,
  tensors: Iterable<readonly [string, NdArray]> | AsyncIterable<readonly [string, NdArray]>,
  options: SafetensorsOptions = {},
): Promise<void> {
  const [dataPath, wholePath] = [`${path}.data.tmp`, `${path}.tmp`];
  try {
    const shapes = await writeData(dataPath, tensors);
    const whole = openSink(wholePath);
    try {
      whole.write(encodeSafetensorsHeader(shapes, options));
      appendFile(whole, dataPath);
    } finally {
      whole.close();
    }
    renameSync(wholePath, path);
  } finally {
    rmSync(dataPath, { force: true });
    rmSync(wholePath, { force: true });
  }
}

async function writeData(
  dataPath: string,
  tensors: Iterable<readonly [string, NdArray]> | AsyncIterable<readonly [string, NdArray]>,
): Promise<TensorShape[]> {
  const shapes: TensorShape[] = [];
  const file = openSink(dataPath);
  try {
    for await (const [name, array] of tensors) {
      shapes.push(checkTensor(name, array));
      file.write(bytesOfArray(array));
    }
  } finally {
    file.close();
  }
  return shapes;
}

function appendFile(target: FileSink, path: string): void {
  const file = openFileSource(path);
  try {
    for (let at = 0; at < file.size; at += copyBytes) {
      target.write(readBytes(file, at, Math.min(copyBytes, file.size - at), "the data"));
    }
  } finally {
    file.close();
  }
}
