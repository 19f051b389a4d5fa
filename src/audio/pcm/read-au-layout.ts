import { badAudio } from "../bad-audio.ts";
import type { ByteSource } from "../byte-source.ts";
import { viewOf } from "../view-of.ts";
import { bytesOf, type Encoding, type PcmLayout } from "./pcm-layout.ts";

const encodings: Readonly<Record<number, Exclude<Encoding, "ima" | "ms">>> = {
  1: "mulaw",
  2: "s8",
  3: "s16",
  4: "s24",
  5: "s32",
  6: "f32",
  7: "f64",
  27: "alaw",
};

/** Finds the samples of a Sun AU file. */
export async function readAuLayout(source: ByteSource): Promise<PcmLayout> {
  const view = viewOf(await source.read(0, 24));
  if (view.byteLength < 24) throw badAudio(source.name, "is truncated in its AU header", "fetch it again");
  const [dataOffset, size, code] = [view.getUint32(4), view.getUint32(8), view.getUint32(12)];
  const [sampleRate, channels] = [view.getUint32(16), view.getUint32(20)];
  const encoding = encodings[code];
  if (encoding === undefined) {
    throw badAudio(
      source.name,
      `is AU with encoding ${code}, which is not read`,
      "convert it: ffmpeg -i FILE out.flac",
    );
  }
  if (channels === 0) throw badAudio(source.name, "has a header that says 0 channels", "its header is broken");
  return {
    encoding,
    isLittleEndian: false,
    sampleRate,
    channels,
    blockBytes: channels * bytesOf[encoding],
    framesPerBlock: 1,
    dataOffset,
    dataBytes: size === 0xffff_ffff ? undefined : size,
  };
}
