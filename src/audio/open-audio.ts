import type { ByteSource } from "./byte-source.ts";
import { openFlac } from "./flac/open-flac.ts";
import { openMp3 } from "./mp3/open-mp3.ts";
import { openOgg } from "./ogg/open-ogg.ts";
import { openWithFfmpeg } from "./open-with-ffmpeg.ts";
import type { OpenedAudio, OpenOptions } from "./opened-audio.ts";
import { openPcm } from "./pcm/open-pcm.ts";
import { sniffFormat } from "./sniff-format.ts";

/** Reads the header of audio bytes, independent of the file name. */
export async function openAudio(source: ByteSource, options: OpenOptions): Promise<OpenedAudio> {
  const format = await sniffFormat(source);
  switch (format) {
    case "flac":
      return openFlac(source, options);
    case "ogg":
      return openOgg(source, options);
    case "mp3":
      return openMp3(source);
    case "mp4":
    case "matroska":
    case "asf":
    case "amr":
      return openWithFfmpeg(source, format);
    default:
      return openPcm(source, format, options);
  }
}
