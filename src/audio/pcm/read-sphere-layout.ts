import { badAudio } from "../bad-audio.ts";
import type { ByteSource } from "../byte-source.ts";
import { printable } from "../view-of.ts";
import { bytesOf, type Encoding, type PcmLayout } from "./pcm-layout.ts";

const maxHeaderBytes = 1024 * 1024;

/** Finds the samples of a NIST SPHERE file, as TIMIT, WSJ, Switchboard and AN4 have them. */
export async function readSphereLayout(source: ByteSource): Promise<PcmLayout> {
  const { fields, dataOffset } = await readFields(source);
  const coding = fields.get("sample_coding") ?? "pcm";
  if (coding.includes("shorten") || coding.includes("shortpack") || coding.includes("wavpack")) {
    throw badAudio(
      source.name,
      `is NIST SPHERE compressed with ${printable(coding.split("embedded-")[1] ?? coding)}, which is not read`,
      "convert it first: sph2pipe -f wav FILE.sph FILE.wav",
    );
  }
  const sampleBytes = integer("sample_n_bytes") ?? (coding === "ulaw" || coding === "alaw" ? 1 : 2);
  const encoding = encodingOf(coding, sampleBytes);
  const channels = integer("channel_count") ?? 1;
  const sampleRate = integer("sample_rate");
  if (sampleRate === undefined) throw broken("names no sample_rate");
  if (channels === 0) throw broken("says 0 channels");
  const frames = integer("sample_count");
  const blockBytes = channels * bytesOf[encoding];
  return {
    encoding,
    isLittleEndian: fields.get("sample_byte_format") !== "10",
    sampleRate,
    channels,
    blockBytes,
    framesPerBlock: 1,
    dataOffset,
    dataBytes: frames === undefined ? undefined : frames * blockBytes,
  };

  function integer(field: string): number | undefined {
    const text = fields.get(field);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (Number.isSafeInteger(value) && value >= 0) return value;
    throw broken(`says ${field} ${printable(text)}`);
  }

  function encodingOf(name: string, bytes: number): Exclude<Encoding, "ima" | "ms"> {
    if ((name === "ulaw" || name === "mu-law") && bytes === 1) return "mulaw";
    if (name === "alaw" && bytes === 1) return "alaw";
    if (name.startsWith("pcm") && bytes >= 1 && bytes <= 4) return (["s8", "s16", "s24", "s32"] as const)[bytes - 1]!;
    throw badAudio(
      source.name,
      `is NIST SPHERE with samples coded as "${printable(name)}" in ${bytes} bytes, which is not read`,
      "convert it first: sph2pipe -f wav FILE.sph FILE.wav",
    );
  }

  function broken(what: string): Error {
    return badAudio(source.name, `has a SPHERE header that ${what}`, "the header is broken: fetch the file again");
  }
}

/** The lines `name -type value` up to `end_head`; the second line is the length of the header. */
async function readFields(source: ByteSource): Promise<{ fields: Map<string, string>; dataOffset: number }> {
  const broken = (what: string) => badAudio(source.name, `has a SPHERE header ${what}`, "fetch the file again");
  const size = Number(Buffer.from(await source.read(8, 8)).toString("latin1"));
  if (!Number.isInteger(size) || size < 16 || size > maxHeaderBytes) throw broken("whose length is not readable");
  if (size > source.size) throw broken(`of ${size} bytes, but the file is truncated at ${source.size}`);
  const text = Buffer.from(await source.read(16, size - 16)).toString("latin1");
  const end = text.search(/^end_head\b/m);
  if (end < 0) throw broken("without end_head");
  const fields = new Map<string, string>();
  for (const line of text.slice(0, end).split("\n")) {
    const match = /^(\S+)\s+-(?:i|r|s\d+)\s+(.*?)\s*$/.exec(line);
    if (match !== null) fields.set(match[1]!, match[2]!);
  }
  return { fields, dataOffset: size };
}
