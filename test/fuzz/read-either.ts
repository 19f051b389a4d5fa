import { type ByteSource, toByteSource } from "../../src/formats/byte-source.ts";
import { type Case, caseName } from "./reader.ts";

/** The bytes of a case as a source with the name that errors show. */
export function sourceOf({ bytes }: Case): ByteSource {
  return toByteSource(bytes, caseName);
}

/** Reads a case from memory, or, one time in 16, from a file. */
export function readEither<T>(input: Case, fromSource: (source: ByteSource) => T, fromFile: (path: string) => T): T {
  return input.random.chance(1 / 16) ? fromFile(input.file()) : fromSource(sourceOf(input));
}
