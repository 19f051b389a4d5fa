import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { badAudio } from "./bad-audio.ts";
import type { ByteSource } from "./byte-source.ts";
import { checkHeader } from "./check-header.ts";
import type { OpenedAudio } from "./opened-audio.ts";
import { hostIsLittleEndian } from "./pcm/decode-samples.ts";
import { refuseNonFinite } from "./refuse-non-finite.ts";
import { ProgramFailure, runProgram } from "./run-program.ts";
import type { SampleSink } from "./sample-sink.ts";
import type { ForeignFormat } from "./sniff-format.ts";

/** The name of ffmpeg's demuxer: given explicitly, so that a file cannot act as a playlist that names others. */
const demuxers: Readonly<Record<ForeignFormat, string>> = { mp4: "mov", matroska: "matroska", asf: "asf", amr: "amr" };
const titles: Readonly<Record<ForeignFormat, string>> = {
  mp4: "MP4",
  matroska: "Matroska or WebM",
  asf: "WMA",
  amr: "AMR",
};

// Speech at 16 kbit/s may take a 25th of its duration: a busy machine must not look like an endless file.
const [minTimeoutMs, bytesPerMs] = [120_000, 50];
const sampleFormat = hostIsLittleEndian ? "f32le" : "f32be";
const maxAnswerBytes = 64 * 1024;

/** Opens what only ffmpeg can read, if it is installed: AAC and ALAC in MP4, WebM, WMA, AMR. */
export async function openWithFfmpeg(source: ByteSource, format: ForeignFormat): Promise<OpenedAudio> {
  const info = await withFile(source, (path) => probe({ source, path, format }));
  return {
    info,
    warnings: [],
    decode: (sink) => withFile(source, (path) => decode({ source, path, format }, info, sink)),
  };
}

interface Input {
  readonly source: ByteSource;
  /** The input of ffmpeg. */
  readonly path: string;
  readonly format: ForeignFormat;
}

async function probe(input: Input): Promise<OpenedAudio["info"]> {
  const { name } = input.source;
  const fields = "stream=codec_name,sample_rate,channels,duration:format=duration";
  const { streams = [], format: container } = await askFfprobe(input, [
    "-show_entries",
    fields,
    "-select_streams",
    "a:0",
  ]);
  const stream = streams[0];
  if (stream === undefined) throw badAudio(name, `is ${titles[input.format]} without audio in it`, "leave it out");
  const [sampleRate, channels] = [Number(stream.sample_rate), stream.channels ?? 0];
  checkHeader(name, { sampleRate, channels });
  const seconds = Number(stream.duration ?? container?.duration);
  const durationSeconds = seconds > 0 && seconds < Infinity ? seconds : undefined;
  const frames = durationSeconds === undefined ? undefined : Math.round(durationSeconds * sampleRate);
  return {
    format: input.format,
    codec: stream.codec_name ?? "unknown",
    sampleRate,
    channels,
    frames,
    durationSeconds,
    isExact: false,
  };
}

interface ProbeAnswer {
  readonly streams?: { codec_name?: string; sample_rate?: string; channels?: number; duration?: string }[];
  readonly format?: { duration?: string };
}

async function askFfprobe(input: Input, args: readonly string[]): Promise<ProbeAnswer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  await run("ffprobe", input, [...inputOf(input), ...args, "-of", "json"], (piece) => {
    pieces.push(piece);
    bytes += piece.length;
    return bytes <= maxAnswerBytes;
  });
  try {
    return JSON.parse(Buffer.concat(pieces).toString()) as ProbeAnswer;
  } catch (error) {
    throw unreadable(input, "ffprobe", "its answer is no JSON", error);
  }
}

/**
 * ffmpeg writes the samples of the range into a pipe, and is killed when there are enough. The range is cut by counting
 * samples (`atrim`): seeking with `-ss` is off by up to hundreds of samples in Matroska and WMA, whose times are
 * milliseconds.
 */
async function decode(input: Input, { sampleRate, channels }: OpenedAudio["info"], sink: SampleSink): Promise<void> {
  const { start, end } = sink.range;
  const range = `start_sample=${start}${end === Infinity ? "" : `:end_sample=${end}`}`;
  const filter = ["-af", `aresample=${sampleRate},atrim=${range}`, "-ac", String(channels)];
  const output = [
    "-map",
    "0:a:0",
    "-vn",
    "-sn",
    "-dn",
    ...filter,
    "-c:a",
    `pcm_${sampleFormat}`,
    "-f",
    sampleFormat,
    "pipe:1",
  ];
  const frameBytes = 4 * channels;
  let rest: Uint8Array = new Uint8Array(0);
  sink.skipTo(start);
  await run("ffmpeg", input, ["-nostdin", "-xerror", ...inputOf(input), ...output], (piece) => {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const count = Math.floor(bytes.length / frameBytes);
    // Copied, because floats need an aligned address.
    const samples = new Float32Array(new Uint8Array(bytes.subarray(0, count * frameBytes)).buffer);
    rest = bytes.subarray(count * frameBytes);
    refuseNonFinite(input.source.name, samples, { count: count * channels, firstFrame: sink.position, channels });
    sink.pushInterleaved(samples, channels, count);
    return !sink.isFull;
  });
}

/** One container and files only: the content cannot make ffmpeg open a playlist, another file or a URL. */
function inputOf({ format, path }: Input): string[] {
  return ["-v", "error", "-protocol_whitelist", "file", "-f", demuxers[format], "-i", path];
}

/** MP4 needs seeking, so bytes in memory are written to a temporary file. */
async function withFile<T>(source: ByteSource, use: (path: string) => Promise<T>): Promise<T> {
  // With its protocol, so that a file name is never taken for an option or another protocol.
  if (source.path !== undefined) return use(`file:${resolve(source.path)}`);
  const folder = await mkdtemp(join(tmpdir(), "millrace-audio-"));
  try {
    const path = join(folder, "audio");
    await writeFile(path, await source.read(0, source.size));
    return await use(`file:${path}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(
  program: string,
  input: Input,
  args: readonly string[],
  take: (piece: Buffer) => boolean,
): Promise<void> {
  const timeoutMs = minTimeoutMs + input.source.size / bytesPerMs;
  try {
    await runProgram({ program, args, timeoutMs }, take);
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error;
    if (error.kind === "missing") {
      const what = `is ${titles[input.format]}, which is read with ${program}; that ${error.message}`;
      throw badAudio(
        input.source.name,
        what,
        "install ffmpeg, or convert the file: ffmpeg -i FILE out.flac",
        error.cause,
      );
    }
    throw unreadable(input, program, error.kind === "timeout" ? `it ${error.message}` : error.message);
  }
}

function unreadable({ source, format }: Input, program: string, why: string, cause?: unknown): Error {
  const what = `is ${titles[format]} that ${program} cannot read: ${why}`;
  return badAudio(source.name, what, "fetch it again, or leave it out", cause);
}
