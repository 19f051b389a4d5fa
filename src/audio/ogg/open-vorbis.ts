import { badAudio, copyAgain } from "../bad-audio.ts";
import { checkHeader } from "../check-header.ts";
import type { OpenedAudio } from "../opened-audio.ts";
import type { SampleSink } from "../sample-sink.ts";
import { viewOf } from "../view-of.ts";
import type { OggStream } from "./ogg-stream.ts";
import { corrupt, walkPages } from "./walk-pages.ts";

const headerBytes = 30;

/** Opens Ogg Vorbis, decoded by libvorbis. */
export function openVorbis(stream: OggStream): OpenedAudio {
  const { source, firstPacket, end } = stream;
  if (firstPacket.length < headerBytes) throw badAudio(source.name, "has a Vorbis header that is too short", copyAgain);
  const view = viewOf(firstPacket);
  const [channels, sampleRate] = [view.getUint8(11), view.getUint32(12, true)];
  checkHeader(source.name, { channels, sampleRate });
  const info = {
    format: "ogg",
    codec: "vorbis",
    sampleRate,
    channels,
    frames: end?.granule,
    durationSeconds: end === undefined ? undefined : end.granule / sampleRate,
    isExact: end?.isExact ?? false,
  };
  return { info, warnings: [], decode: (sink) => decodeVorbis(stream, channels, sink) };
}

/** Feeds whole, checked pages only, a new decoder for each file: its parser keeps what it does not understand. */
async function decodeVorbis({ source, serial, options }: OggStream, channels: number, sink: SampleSink): Promise<void> {
  const { OggVorbisDecoder } = await import("@wasm-audio-decoders/ogg-vorbis");
  const decoder = new OggVorbisDecoder();
  await decoder.ready;
  const push = ({ channelData, samplesDecoded, errors }: Awaited<ReturnType<typeof decoder.decode>>) => {
    if (errors.length > 0) throw new Error(errors[0]!.message);
    if (samplesDecoded === 0) return;
    if (channelData.length !== channels) throw new Error(`${channelData.length} channels came out`);
    sink.pushPlanes(channelData, samplesDecoded);
  };
  try {
    for await (const page of walkPages(source, serial, options, (warning) => sink.warn(warning))) {
      await guarded(async () => push(await decoder.decode(page.bytes)));
      if (sink.isFull) return;
    }
    await guarded(async () => push(await decoder.flush()));
  } finally {
    decoder.free();
  }
  if (sink.position === 0) throw badAudio(source.name, "holds no samples", copyAgain);

  async function guarded(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      throw corrupt(source.name, "its Vorbis packets cannot be decoded", error);
    }
  }
}
