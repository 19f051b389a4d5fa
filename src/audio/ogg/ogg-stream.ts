import type { ByteSource } from "../byte-source.ts";
import type { OpenOptions } from "../opened-audio.ts";

/** The arguments of a codec's opener. */
export interface OggStream {
  readonly source: ByteSource;
  readonly serial: number;
  readonly firstPacket: Uint8Array;
  /** The end of the stream by the last page; not exact if more pages should follow. */
  readonly end: { readonly granule: number; readonly isExact: boolean } | undefined;
  readonly options: OpenOptions;
}
