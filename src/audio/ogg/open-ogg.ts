import type { AudioWarning } from "../audio.ts";
import { badAudio, copyAgain } from "../bad-audio.ts";
import { type ByteSource, bytesSource } from "../byte-source.ts";
import { openFlac } from "../flac/open-flac.ts";
import type { OpenedAudio, OpenOptions } from "../opened-audio.ts";
import { makePacketJoiner } from "./join-packets.ts";
import { maxPageBytes, type OggPage, readOggPage } from "./ogg-page.ts";
import type { OggStream } from "./ogg-stream.ts";
import { openOpus } from "./open-opus.ts";
import { openVorbis } from "./open-vorbis.ts";
import { corrupt, walkPages } from "./walk-pages.ts";

const codecs: readonly (readonly [string, (stream: OggStream) => OpenedAudio | Promise<OpenedAudio>])[] = [
  ["\x01vorbis", openVorbis],
  ["OpusHead", openOpus],
  ["\x7fFLAC", openOggFlac],
];

/** Opens the first audio stream of an Ogg file; pictures and video are skipped. */
export async function openOgg(source: ByteSource, options: OpenOptions): Promise<OpenedAudio> {
  const firstPages = await readFirstPages(source);
  for (const page of firstPages) {
    const start = Buffer.from(page.body).toString("latin1", 0, 8);
    const open = codecs.find(([signature]) => start.startsWith(signature))?.[1];
    if (open === undefined) continue;
    const firstPacket = page.body.subarray(0, page.lacing[0]!);
    const end = await readEnd(source, page.serial);
    return open({ source, serial: page.serial, firstPacket, end, options });
  }
  const found = Buffer.from(firstPages[0]!.body)
    .toString("latin1", 0, 8)
    .replaceAll(/[^\x20-\x7e]/g, "")
    .trim();
  const what = `is Ogg without Vorbis, Opus or FLAC in it (its first stream begins with "${found}")`;
  throw badAudio(source.name, what, "convert it: ffmpeg -i FILE out.flac");
}

/** Each stream begins with its own page, all of them before any other page. */
async function readFirstPages(source: ByteSource): Promise<OggPage[]> {
  const bytes = await source.read(0, 64 * 1024);
  const pages: OggPage[] = [];
  for (let at = 0; at < bytes.length; ) {
    const page = readOggPage(bytes, at);
    if (page === "cut" || page === "damaged" || !page.isFirst) break;
    pages.push(page);
    at += page.bytes.length;
  }
  if (pages.length > 0) return pages;
  const first = readOggPage(bytes, 0);
  if (first === "damaged") throw corrupt(source.name, "its first page is damaged");
  if (first === "cut") throw badAudio(source.name, "is truncated in its first Ogg page", copyAgain);
  throw badAudio(source.name, "is Ogg that begins in the middle of a stream", copyAgain);
}

/** The end of the stream by the last page; undefined if there are only headers. */
async function readEnd(source: ByteSource, serial: number): Promise<OggStream["end"]> {
  const from = Math.max(0, source.size - 2 * maxPageBytes);
  const tail = Buffer.from(await source.read(from, 2 * maxPageBytes));
  for (let at = tail.lastIndexOf("OggS"); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf("OggS", at - 1)) {
    const page = readOggPage(tail, at);
    if (page === "cut" || page === "damaged" || page.serial !== serial || page.granule < 0) continue;
    return page.granule === 0 ? undefined : { granule: page.granule, isExact: page.isLast };
  }
  return undefined;
}

/** FLAC in Ogg is a FLAC file cut into packets; it is reassembled. */
async function openOggFlac({ source, serial, options }: OggStream): Promise<OpenedAudio> {
  const parts: Uint8Array[] = [];
  const join = makePacketJoiner();
  const warnings: AudioWarning[] = [];
  for await (const page of walkPages(source, serial, options, (warning) => warnings.push(warning))) {
    for (const packet of join(page)) parts.push(parts.length === 0 ? packet.subarray(oggFlacHeaderBytes) : packet);
  }
  const opened = await openFlac(bytesSource(Buffer.concat(parts), source.name), options);
  return { ...opened, info: { ...opened.info, format: "ogg" }, warnings: [...warnings, ...opened.warnings] };
}

// 0x7f, "FLAC", two bytes of version, two of how many header packets follow; then `fLaC`.
const oggFlacHeaderBytes = 9;
