import type { ByteSource } from "../byte-source.ts";
import type { OpenOptions } from "../opened-audio.ts";

/** What an opener of a codec in Ogg is given. */
export interface OggStream {
  readonly source: ByteSource;
  readonly serial: number;
  readonly firstPacket: Uint8Array;
  /** Where the last page says that the stream ends; not exact where more pages should follow. */
  readonly end: { readonly granule: number; readonly isExact: boolean } | undefined;
  readonly options: OpenOptions;
}
