import type { AudioWarning } from "../audio.ts";
import { badAudio } from "../bad-audio.ts";
import type { ByteSource } from "../byte-source.ts";
import { freeDecoder } from "../free-decoder.ts";
import type { OpenedAudio } from "../opened-audio.ts";
import { refuseNonFinite } from "../refuse-non-finite.ts";
import type { SampleSink } from "../sample-sink.ts";
import { withoutConsole } from "../without-console.ts";
import { findFirstFrame, findFrameRuns } from "./find-frames.ts";
import type { MpegFrameHeader } from "./frame-header.ts";
import { readXing } from "./read-xing.ts";
import { skipId3 } from "./skip-id3.ts";

// The delay of a layer III decoder; LAME's values do not include it.
const decoderDelay = 529;
// Enough to keep the calls few, small enough to stop soon after a segment.
const feedBytes = 64 * 1024;

/** Opens MP3 (and MPEG layers I and II), decoded by mpg123; the encoder's delay and padding are removed if known. */
export async function openMp3(source: ByteSource): Promise<OpenedAudio> {
  const first = (await findFirstFrame(source, skipId3(await source.read(0, 10), 0)))!;
  const { at, header } = first;
  const note = readXing(await source.read(at, header.bytes), header);
  const noted = note?.frames === undefined ? undefined : note.frames * header.samples - note.delay - note.padding;
  // Without a length header all frames are assumed to be as long as the first: correct for a constant bit rate.
  const estimated = Math.floor((source.size - at) / header.bytes) * header.samples;
  const frames = noted !== undefined && noted > 0 && isBorneOut(noted, source.size - at, header) ? noted : undefined;
  const { sampleRate, channels } = header;
  const info = {
    format: "mp3",
    codec: header.layer === 3 ? "mp3" : `mp${header.layer}`,
    sampleRate,
    channels,
    frames: frames ?? estimated,
    durationSeconds: (frames ?? estimated) / sampleRate,
    isExact: frames !== undefined,
  };
  return { info, warnings: [], decode: (sink) => decodeMp3(source, first, noted, sink) };
}

/** True if the announced frames fit into the file at the lowest bit rate. */
function isBorneOut(samples: number, bytes: number, header: MpegFrameHeader): boolean {
  return (samples / header.samples) * 24 <= bytes * 2;
}

async function decodeMp3(
  source: ByteSource,
  first: { readonly at: number; readonly header: MpegFrameHeader },
  noted: number | undefined,
  sink: SampleSink,
): Promise<void> {
  const { MPEGDecoder } = await import("mpg123-decoder");
  const bytes = await source.read(first.at, source.size - first.at);
  const { runs, frames, junkBytes, endsInFrame } = findFrameRuns(bytes, first.header);
  const { channels, samples: frameSamples } = first.header;
  if (junkBytes > bytes.length / 2) {
    throw badAudio(source.name, `is MP3 at its start, but ${junkBytes} of its bytes are not`, "fetch it again");
  }
  // A new decoder each time: the state of a broken file must not reach the next file.
  const decoder = new MPEGDecoder();
  await decoder.ready;
  try {
    for (const { from, to } of runs) {
      for (let at = from; at < to && !sink.isFull; at += feedBytes) {
        const { planes, count } = decodePart(bytes.subarray(at, Math.min(to, at + feedBytes)));
        for (const plane of planes) {
          refuseNonFinite(source.name, plane, { count, firstFrame: sink.position, channels: 1 });
        }
        sink.pushPlanes(planes, count);
      }
    }
  } finally {
    freeDecoder(decoder);
  }
  if (!sink.isFull) for (const warning of warningsOf()) sink.warn(warning);

  function decodePart(part: Uint8Array): { planes: Float32Array[]; count: number } {
    try {
      const { channelData, samplesDecoded } = withoutConsole(() => decoder.decode(part));
      return { planes: channelData.slice(0, channels), count: samplesDecoded };
    } catch (error) {
      throw badAudio(source.name, "is MP3 that cannot be decoded", "fetch it again, or leave it out", error);
    }
  }

  function warningsOf(): AudioWarning[] {
    const warnings: AudioWarning[] = [];
    const missing = noted === undefined ? 0 : noted - sink.position;
    if (missing > frameSamples + decoderDelay || endsInFrame) {
      const announced = noted === undefined ? "" : `, ${noted} samples are announced`;
      const message = `the MP3 ends early: ${frames} whole frames, ${sink.position} samples are there${announced}`;
      warnings.push({ kind: "truncated", message });
    }
    if (junkBytes > 0) {
      warnings.push({ kind: "corrupt", message: `${junkBytes} bytes between frames of the MP3 were left out` });
    }
    return warnings;
  }
}
