import type { OggVorbisDecoder } from "@wasm-audio-decoders/ogg-vorbis";
import { badAudio, copyAgain } from "../bad-audio.ts";
import { checkHeader } from "../check-header.ts";
import { freeDecoder } from "../free-decoder.ts";
import type { OpenedAudio } from "../opened-audio.ts";
import { refuseNonFinite } from "../refuse-non-finite.ts";
import type { SampleSink } from "../sample-sink.ts";
import { viewOf } from "../view-of.ts";
import type { OggPage } from "./ogg-page.ts";
import type { OggStream } from "./ogg-stream.ts";
import { corrupt, walkPages } from "./walk-pages.ts";

const headerBytes = 30;
// Eight channels in the largest blocks, 255 of them in a page, stay below half of it.
const maxPageOutputBytes = 2 ** 26;

interface Header {
  readonly channels: number;
  /** The larger block size, in samples; each packet gives at most half of it. */
  readonly blockSize: number;
}

type VorbisResult = Awaited<ReturnType<OggVorbisDecoder["decode"]>>;

/** Opens Ogg Vorbis, decoded by libvorbis. */
export function openVorbis(stream: OggStream): OpenedAudio {
  const { source, firstPacket, end } = stream;
  if (firstPacket.length < headerBytes) throw badAudio(source.name, "has a Vorbis header that is too short", copyAgain);
  const view = viewOf(firstPacket);
  const [channels, sampleRate] = [view.getUint8(11), view.getUint32(12, true)];
  checkHeader(source.name, { channels, sampleRate });
  const blockSize = 2 ** (view.getUint8(28) >> 4);
  const info = {
    format: "ogg",
    codec: "vorbis",
    sampleRate,
    channels,
    frames: end?.granule,
    durationSeconds: end === undefined ? undefined : end.granule / sampleRate,
    isExact: end?.isExact ?? false,
  };
  return { info, warnings: [], decode: (sink) => decodeVorbis(stream, { channels, blockSize }, sink) };
}

/** Feeds only whole, verified pages to a new decoder per file: its parser keeps bytes that it does not understand. */
async function decodeVorbis({ source, serial, options }: OggStream, header: Header, sink: SampleSink): Promise<void> {
  const { OggVorbisDecoder } = await import("@wasm-audio-decoders/ogg-vorbis");
  const decoder = new OggVorbisDecoder();
  await decoder.ready;
  clearChannelCount(decoder);
  try {
    for await (const page of walkPages(source, serial, options, (warning) => sink.warn(warning))) {
      refuseLargePage(source.name, page, header);
      push(await guarded(() => decoder.decode(page.bytes)));
      if (sink.isFull) return;
    }
    push(await guarded(() => decoder.flush()));
  } finally {
    freeDecoder(decoder);
  }
  if (sink.position === 0) throw badAudio(source.name, "holds no samples", copyAgain);

  function push({ channelData, samplesDecoded: count }: VorbisResult): void {
    for (const plane of channelData) {
      refuseNonFinite(source.name, plane, { count, firstFrame: sink.position, channels: 1 });
    }
    if (count > 0) sink.pushPlanes(channelData, count);
  }

  async function guarded(decode: () => Promise<VorbisResult>): Promise<VorbisResult> {
    try {
      const result = await decode();
      if (result.errors.length > 0) throw new Error(result.errors[0]!.message);
      const isSilent = result.samplesDecoded === 0;
      if (!isSilent && result.channelData.length !== header.channels) {
        throw new Error(`${result.channelData.length} channels came out`);
      }
      return result;
    } catch (error) {
      throw corrupt(source.name, "its Vorbis packets cannot be decoded", error);
    }
  }
}

/**
 * Until its first packet of audio the library reads the number of channels from memory that nothing has written, and makes an empty
 * array for each of them with every page: some 36,000, which take ten times as long as a short file.
 */
export function clearChannelCount(decoder: OggVorbisDecoder): void {
  const { _decoder: inner } = decoder as unknown as { _decoder?: { _channels?: { buf?: Uint32Array } } };
  inner?._channels?.buf?.fill(0);
}

/** A page is decoded at once, and a page of 8 kB with hundreds of channels can become a gigabyte of samples. */
function refuseLargePage(name: string, { lacing }: OggPage, { channels, blockSize }: Header): void {
  const packets = lacing.reduce((count, length) => (length < 255 ? count + 1 : count), 0);
  if (packets * (blockSize / 2) * channels * 4 <= maxPageOutputBytes) return;
  const what = `holds a page of ${packets} packets of ${channels} channels, which is too much at once`;
  throw badAudio(name, what, "if it is audio, convert it: ffmpeg -i FILE out.flac");
}
