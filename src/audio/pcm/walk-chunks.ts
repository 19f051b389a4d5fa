import { badAudio } from "../bad-audio.ts";
import type { ByteSource } from "../byte-source.ts";
import { printable, viewOf } from "../view-of.ts";

export interface Chunk {
  readonly id: string;
  readonly offset: number;
  /** The announced size; the file may be shorter. */
  readonly size: number;
}

/** The format of chunks of one container. */
export interface ChunkShape {
  readonly headerBytes: number;
  readonly alignment: number;
  /** The id and the size of what follows the header. */
  readonly parse: (header: DataView) => { readonly id: string; readonly size: number };
}

// A file of only empty chunks would otherwise be walked for hours.
const maxChunks = 10_000;

/** The chunks of a file, one after the other, from their headers only. */
export async function* walkChunks(source: ByteSource, start: number, shape: ChunkShape): AsyncGenerator<Chunk> {
  let at = start;
  for (let count = 0; at + shape.headerBytes <= source.size; count++) {
    if (count === maxChunks) throw badAudio(source.name, `has more than ${maxChunks} chunks`, "its header is broken");
    const header = await source.read(at, shape.headerBytes);
    const { id, size } = shape.parse(viewOf(header));
    if (!(size >= 0))
      throw badAudio(source.name, `has a chunk "${printable(id)}" of size ${size}`, "its header is broken");
    const offset = at + shape.headerBytes;
    yield { id, offset, size };
    const end = offset + size;
    const aligned = Math.ceil(end / shape.alignment) * shape.alignment;
    at = aligned === end || shape.alignment !== 2 ? aligned : await pastPadding(source, end);
  }
}

/** Chunks of odd size are followed by a padding byte, which some programs omit. */
async function pastPadding(source: ByteSource, end: number): Promise<number> {
  const bytes = await source.read(end, 5);
  const text = Buffer.from(bytes).toString("latin1");
  return isId(text.slice(0, 4)) && !isId(text.slice(1, 5)) ? end : end + 1;
}

function isId(text: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_ ]{3}$/.test(text);
}
