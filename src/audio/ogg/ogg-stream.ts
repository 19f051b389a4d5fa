import type { ByteSource } from "../byte-source.ts";
import type { OpenOptions } from "../opened-audio.ts";

/** What an opener of a codec in Ogg is given. */
export interface OggStream {
  readonly source: ByteSource;
  readonly serial: number;
  readonly firstPacket: Uint8Array;
  /** Where the last page says the stream ends. */
  readonly lastGranule: number | undefined;
  readonly options: OpenOptions;
}
