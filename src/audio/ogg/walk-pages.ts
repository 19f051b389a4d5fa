import type { AudioWarning } from "../audio.ts";
import { badAudio, copyAgain } from "../bad-audio.ts";
import type { ByteSource } from "../byte-source.ts";
import type { OpenOptions } from "../opened-audio.ts";
import { maxPageBytes, type OggPage, readOggPage } from "./ogg-page.ts";

const pieceBytes = 256 * 1024;

/** The pages of one stream, in order and complete: a damaged, missing or truncated page is an error here. */
export async function* walkPages(
  source: ByteSource,
  serial: number,
  options: OpenOptions,
  warn: (warning: AudioWarning) => void,
): AsyncGenerator<OggPage> {
  let offset = 0;
  let next: number | undefined;
  let piece: Uint8Array = await source.read(0, pieceBytes);
  for (let at = 0; offset + at < source.size; ) {
    if (piece.length - at < maxPageBytes && offset + piece.length < source.size) {
      offset += at;
      piece = await source.read(offset, pieceBytes);
      at = 0;
    }
    const page = readOggPage(piece, at);
    if (page === "damaged") throw corrupt(source.name, `the page at byte ${offset + at} is damaged`);
    if (page === "cut") break;
    at += page.bytes.length;
    if (page.serial !== serial) {
      if (page.isFirst && next !== undefined && next > 1) throw chained(source.name);
      continue;
    }
    if (next !== undefined && page.sequence !== next)
      throw corrupt(source.name, `a page before byte ${offset + at} is missing`);
    next = page.sequence + 1;
    yield page;
    if (page.isLast) {
      if (await beginsAnother(source, offset + at)) throw chained(source.name);
      return;
    }
  }
  const message = "is truncated: its Ogg stream has no end";
  if (options.truncated === "fail") {
    throw badAudio(source.name, message, `${copyAgain}; { truncated: "keep" } reads what is there`);
  }
  warn({ kind: "truncated", message });
}

async function beginsAnother(source: ByteSource, at: number): Promise<boolean> {
  const head = await source.read(at, 6);
  return head.length === 6 && Buffer.from(head).toString("latin1", 0, 4) === "OggS" && (head[5]! & 2) !== 0;
}

/** Consecutive recordings may differ in rate and channels, so the intended one cannot be guessed. */
function chained(name: string): Error {
  return badAudio(
    name,
    "holds several Ogg streams one after the other",
    "split or convert it: ffmpeg -i FILE out.flac",
  );
}

export function corrupt(name: string, why: string, cause?: unknown): Error {
  const hint = "fetch it again; if the original is damaged too, leave it out";
  return badAudio(name, `is corrupt Ogg: ${why}`, hint, cause);
}
