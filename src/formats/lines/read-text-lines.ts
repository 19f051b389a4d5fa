import { type Bytes, toByteSource } from "../byte-source.ts";
import { type Line, type LineLimits, LineSplitter } from "./line-splitter.ts";

const chunkBytes = 1 << 16;

/** The lines of a source, one after the other, with one chunk in memory. */
export function* readTextLines(input: Bytes, limits: LineLimits = {}): Generator<Line> {
  const source = toByteSource(input);
  const splitter = new LineSplitter(source.name, limits);
  for (let offset = 0; offset < source.size; offset += chunkBytes) {
    yield* splitter.push(source.read(offset, Math.min(chunkBytes, source.size - offset)));
  }
  yield* splitter.end();
}
