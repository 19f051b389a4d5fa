import { badAudio } from "./bad-audio.ts";
import type { ByteSource } from "./byte-source.ts";
import { describeBytes } from "./describe-bytes.ts";
import { findFirstFrame } from "./mp3/find-frames.ts";
import { skipId3 } from "./mp3/skip-id3.ts";

export type PcmFormat = "wav" | "w64" | "aiff" | "au" | "caf" | "sphere";
export type ForeignFormat = "mp4" | "matroska" | "asf" | "amr";
export type AudioFormat = PcmFormat | "flac" | "ogg" | "mp3" | ForeignFormat;

/** First bytes of each format, and the bytes at 8 if the first four are ambiguous. */
const signatures: readonly (readonly [AudioFormat, number, string])[] = [
  ["flac", 0, "fLaC"],
  ["ogg", 0, "OggS"],
  ["sphere", 0, "NIST_1A\n"],
  ["au", 0, ".snd"],
  ["caf", 0, "caff"],
  ["w64", 0, "riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\x00\x00"],
  ["mp4", 4, "ftyp"],
  ["matroska", 0, "\x1a\x45\xdf\xa3"],
  ["asf", 0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11"],
  ["amr", 0, "#!AMR"],
];

/** The format of a file, by its first bytes: many corpora have files with wrong names. */
export async function sniffFormat(source: ByteSource): Promise<AudioFormat> {
  const head = await source.read(0, 4096);
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(64, head.length)).toString("latin1");
  const [outer, form] = [start.slice(0, 4), start.slice(8, 12)];
  if (["RIFF", "RIFX", "RF64", "BW64"].includes(outer) && form === "WAVE") return "wav";
  if (outer === "FORM" && (form === "AIFF" || form === "AIFC")) return "aiff";
  const found = signatures.find(([, at, text]) => start.startsWith(text, at));
  if (found !== undefined) return found[0];
  return (await isMp3OrTagged(source, head)) ?? refuse(source, head);
}

/** MP3 has no signature: consecutive frames are one. Tags may precede it, and FLAC too. */
async function isMp3OrTagged(source: ByteSource, head: Uint8Array): Promise<"mp3" | "flac" | undefined> {
  const tagEnd = skipId3(head, 0);
  const behind = tagEnd === 0 ? head : await source.read(tagEnd, 4);
  if (tagEnd > 0 && Buffer.from(behind).toString("latin1", 0, 4) === "fLaC") return "flac";
  return (await findFirstFrame(source, tagEnd)) === undefined ? undefined : "mp3";
}

function refuse(source: ByteSource, head: Uint8Array): never {
  const { what, hint } = describeBytes(head);
  throw badAudio(source.name, what, hint);
}
