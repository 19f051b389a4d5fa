import { badAudio, copyAgain } from "../bad-audio.ts";
import { freeDecoder } from "../free-decoder.ts";
import type { OpenedAudio } from "../opened-audio.ts";
import { refuseNonFinite } from "../refuse-non-finite.ts";
import type { SampleSink } from "../sample-sink.ts";
import { viewOf } from "../view-of.ts";
import { withoutConsole } from "../without-console.ts";
import { makePacketJoiner } from "./join-packets.ts";
import type { OggStream } from "./ogg-stream.ts";
import { corrupt, walkPages } from "./walk-pages.ts";

/** The rate of Opus granules, independent of the input's rate. */
const granuleRate = 48_000;
const decoderRates = [8000, 12_000, 16_000, 24_000, 48_000] as const;

interface OpusHead {
  readonly channels: number;
  readonly preSkip: number;
  readonly rate: (typeof decoderRates)[number];
  /** The factor for samples. */
  readonly gain: number;
  readonly streams: number;
  readonly coupled: number;
  readonly mapping: number[];
}

/** Opens Ogg Opus, decoded by libopus at the lowest of its rates that contains everything that was encoded. */
export function openOpus(stream: OggStream): OpenedAudio {
  const head = readHead(stream);
  const { end } = stream;
  const frames = end === undefined ? undefined : toFrames(Math.max(0, end.granule - head.preSkip), head);
  const info = {
    format: "ogg",
    codec: "opus",
    sampleRate: head.rate,
    channels: head.channels,
    frames,
    durationSeconds: frames === undefined ? undefined : frames / head.rate,
    isExact: end?.isExact ?? false,
  };
  return { info, warnings: [], decode: (sink) => decodeOpus(stream, head, sink) };
}

function toFrames(granules: number, { rate }: OpusHead): number {
  return Math.floor((granules * rate) / granuleRate);
}

function readHead({ source, firstPacket }: OggStream): OpusHead {
  const view = viewOf(firstPacket);
  const broken = () => badAudio(source.name, "has a broken Opus header", copyAgain);
  if (view.byteLength < 19 || view.getUint8(8) >> 4 !== 0) throw broken();
  const channels = view.getUint8(9);
  const family = view.getUint8(18);
  const inputRate = view.getUint32(12, true);
  const base = {
    channels,
    preSkip: view.getUint16(10, true),
    rate: inputRate === 0 ? granuleRate : (decoderRates.find((rate) => rate >= inputRate) ?? granuleRate),
    gain: 10 ** (view.getInt16(16, true) / 256 / 20),
  };
  if (family === 0 && (channels === 1 || channels === 2)) {
    return { ...base, streams: 1, coupled: channels - 1, mapping: channels === 2 ? [0, 1] : [0] };
  }
  if ((family !== 1 && family !== 255) || channels === 0) {
    throw badAudio(source.name, `is Opus of mapping family ${family}`, "convert it: ffmpeg -i FILE out.flac");
  }
  if (view.byteLength < 21 + channels) throw broken();
  const [streams, coupled] = [view.getUint8(19), view.getUint8(20)];
  const mapping = [...firstPacket.subarray(21, 21 + channels)];
  const isSound = streams > 0 && coupled <= streams && streams + coupled <= 255 && streams <= channels;
  if (!isSound || mapping.some((index) => index !== 255 && index >= streams + coupled)) throw broken();
  return { ...base, streams, coupled, mapping };
}

async function decodeOpus({ source, serial, options }: OggStream, head: OpusHead, sink: SampleSink): Promise<void> {
  const { OpusDecoder } = await import("opus-decoder");
  // A new decoder each time: the state of a broken file must not reach the next file.
  const decoder = new OpusDecoder({
    sampleRate: head.rate,
    channels: head.channels,
    streamCount: head.streams,
    coupledStreamCount: head.coupled,
    channelMappingTable: head.mapping,
  });
  await decoder.ready.catch((error: unknown) => {
    throw corrupt(source.name, "no Opus decoder can be made for its header", error);
  });
  const join = makePacketJoiner();
  // A packet of two bytes becomes 120 ms of each channel, and a page has up to 255 packets.
  const packetsAtOnce = Math.ceil(128 / head.channels);
  let [packetsSeen, toSkip, decodedFrames] = [0, toFrames(head.preSkip, head), 0];
  let firstGranule: number | undefined;
  try {
    for await (const page of walkPages(source, serial, options, (warning) => sink.warn(warning))) {
      const packets = join(page);
      // The first two packets are the header and the comments.
      const audio = packets.slice(Math.max(0, 2 - packetsSeen));
      packetsSeen += packets.length;
      if (audio.length === 0) continue;
      const end = page.isLast && page.granule >= 0 ? toFrames(page.granule - (firstGranule ?? 0), head) : Infinity;
      const framesBefore = decodedFrames;
      for (let first = 0; first < audio.length; first += packetsAtOnce) {
        const { planes, count } = decodePackets(audio.slice(first, first + packetsAtOnce));
        const from = Math.min(toSkip, count);
        const to = Math.max(from, Math.min(count, end - decodedFrames));
        decodedFrames += count;
        toSkip -= from;
        sink.pushPlanes(
          planes.map((plane) => plane.subarray(from, to)),
          to - from,
          head.gain,
        );
        if (sink.isFull) return;
      }
      // A stream cut out of a longer one does not begin at zero.
      const granules = ((decodedFrames - framesBefore) * granuleRate) / head.rate;
      if (!page.isLast) firstGranule ??= Math.max(0, page.granule - granules);
    }
  } finally {
    freeDecoder(decoder);
  }
  if (sink.position === 0) throw badAudio(source.name, "holds no samples", copyAgain);

  function decodePackets(packets: Uint8Array[]): { planes: Float32Array[]; count: number } {
    let decoded: ReturnType<typeof decoder.decodeFrames>;
    try {
      decoded = withoutConsole(() => decoder.decodeFrames(packets));
    } catch (error) {
      throw corrupt(source.name, "its Opus packets cannot be decoded", error);
    }
    if (decoded.errors.length > 0) throw corrupt(source.name, decoded.errors[0]!.message);
    const { channelData: planes, samplesDecoded: count } = decoded;
    for (const plane of planes) {
      refuseNonFinite(source.name, plane, { count, firstFrame: sink.position, channels: 1 });
    }
    return { planes, count };
  }
}
