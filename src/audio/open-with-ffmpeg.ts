import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errnoOf } from "../shared/errors.ts";
import { badAudio } from "./bad-audio.ts";
import { type ByteSource, bytesSource } from "./byte-source.ts";
import { checkHeader } from "./check-header.ts";
import type { OpenedAudio } from "./opened-audio.ts";
import { openPcm } from "./pcm/open-pcm.ts";
import type { SampleSink } from "./sample-sink.ts";
import type { ForeignFormat } from "./sniff-format.ts";

/** What ffmpeg calls the demuxer: named, so that a file cannot pass for a playlist that names others. */
const demuxers: Readonly<Record<ForeignFormat, string>> = { mp4: "mov", matroska: "matroska", asf: "asf", amr: "amr" };
const titles: Readonly<Record<ForeignFormat, string>> = {
  mp4: "MP4",
  matroska: "Matroska or WebM",
  asf: "WMA",
  amr: "AMR",
};

/** Opens what only ffmpeg reads, where it is installed: AAC and ALAC in MP4, WebM, WMA, AMR. */
export async function openWithFfmpeg(source: ByteSource, format: ForeignFormat): Promise<OpenedAudio> {
  const streams = await withFile(source, (path) => probe(source.name, path, format));
  return {
    info: streams,
    warnings: [],
    decode: (sink) => withFile(source, (path) => decode(source.name, path, format, sink)),
  };
}

async function probe(name: string, path: string, format: ForeignFormat): Promise<OpenedAudio["info"]> {
  const fields = "stream=codec_name,sample_rate,channels,duration:format=duration";
  const args = ["-show_entries", fields, "-select_streams", "a:0", "-of", "json"];
  const text = Buffer.from(await run("ffprobe", name, format, [...inputOf(format), path, ...args])).toString();
  const { streams = [], format: container } = JSON.parse(text) as {
    streams?: { codec_name?: string; sample_rate?: string; channels?: number; duration?: string }[];
    format?: { duration?: string };
  };
  const stream = streams[0];
  if (stream === undefined) throw badAudio(name, `is ${titles[format]} without audio in it`, "leave it out");
  const [sampleRate, channels] = [Number(stream.sample_rate), stream.channels ?? 0];
  checkHeader(name, { sampleRate, channels });
  const seconds = Number(stream.duration ?? container?.duration);
  const durationSeconds = seconds > 0 ? seconds : undefined;
  const frames = durationSeconds === undefined ? undefined : Math.round(durationSeconds * sampleRate);
  return {
    format,
    codec: stream.codec_name ?? "unknown",
    sampleRate,
    channels,
    frames,
    durationSeconds,
    isExact: false,
  };
}

/** ffmpeg writes WAV into a pipe, which is read like any other with a streamed header. */
async function decode(name: string, path: string, format: ForeignFormat, sink: SampleSink): Promise<void> {
  const output = ["-map", "0:a:0", "-c:a", "pcm_f32le", "-f", "wav", "pipe:1"];
  const wav = await run("ffmpeg", name, format, ["-nostdin", "-xerror", ...inputOf(format), path, ...output]);
  const opened = await openPcm(bytesSource(wav, name), "wav", { truncated: "fail" });
  await opened.decode(sink);
}

function inputOf(format: ForeignFormat): string[] {
  return ["-v", "error", "-protocol_whitelist", "file,pipe", "-f", demuxers[format], "-i"];
}

/** MP4 can only be read with seeking, so bytes that are no file become one for a moment. */
async function withFile<T>(source: ByteSource, use: (path: string) => Promise<T>): Promise<T> {
  // With its protocol, so that no name of a file is taken for an option or another protocol.
  if (source.path !== undefined) return use(`file:${source.path}`);
  const folder = await mkdtemp(join(tmpdir(), "millrace-audio-"));
  try {
    const path = join(folder, "audio");
    await writeFile(path, await source.read(0, source.size));
    return await use(`file:${path}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(program: string, name: string, format: ForeignFormat, args: readonly string[]): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    const output: Buffer[] = [];
    let complaint = "";
    child.stdout.on("data", (data: Buffer) => output.push(data));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (complaint.length < 2000) complaint += text;
    });
    child.on("error", (error) => {
      const isMissing = errnoOf(error) === "ENOENT";
      const what = `is ${titles[format]}, which is read with ${program}; that ${isMissing ? "is not installed" : "did not start"}`;
      reject(badAudio(name, what, "install ffmpeg, or convert the file: ffmpeg -i FILE out.flac", error));
    });
    child.on("close", (code) => {
      if (code === 0) return resolve(Buffer.concat(output));
      const why = complaint.trim().split("\n").at(-1) || `exit code ${code}`;
      reject(
        badAudio(name, `is ${titles[format]} that ${program} cannot read: ${why}`, "fetch it again, or leave it out"),
      );
    });
  });
}
