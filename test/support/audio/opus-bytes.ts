import { oggCrc } from "../../../src/audio/ogg/ogg-page.ts";
import { seededRandom } from "../seeded-random.ts";

/** An Ogg Opus file of full pages of the shortest packets: one byte that says 60 ms of silence. */
export function opusBytes({ channels, pages }: { readonly channels: number; readonly pages: number }): Uint8Array {
  const head = Buffer.alloc(channels <= 2 ? 19 : 21 + channels);
  head.write("OpusHead", 0, "latin1");
  head[8] = 1;
  head[9] = channels;
  head.writeUInt32LE(48_000, 12);
  if (channels > 2) {
    // Every channel is that of the one stream.
    head[18] = 255;
    head[19] = 1;
  }
  const samplesPerPage = 255 * 2880;
  const audio = Array.from({ length: pages }, (_, i) =>
    oggPage({
      packets: Array.from({ length: 255 }, () => Buffer.of(silkMono60ms)),
      sequence: i + 2,
      granule: (i + 1) * samplesPerPage,
      flags: i === pages - 1 ? 4 : 0,
    }),
  );
  return Buffer.concat([
    oggPage({ packets: [head], sequence: 0, granule: 0, flags: 2 }),
    oggPage({ packets: [tags], sequence: 1, granule: 0, flags: 0 }),
    ...audio,
  ]);
}

/** An Ogg Opus file of two channels whose packets are random bytes. */
export function randomOpus(seed: number): Uint8Array {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const packets = Array.from({ length: 1 + below(20) }, () =>
    Buffer.from(Array.from({ length: below(below(2) === 0 ? 60 : 1200) }, () => below(256))),
  );
  const head = Buffer.alloc(19);
  head.write("OpusHead", 0, "latin1");
  head[8] = 1;
  head[9] = 2;
  head.writeUInt32LE(48_000, 12);
  return Buffer.concat([
    oggPage({ packets: [head], sequence: 0, granule: 0, flags: 2 }),
    oggPage({ packets: [tags], sequence: 1, granule: 0, flags: 0 }),
    oggPage({ packets, sequence: 2, granule: 48_000, flags: 4 }),
  ]);
}

const tags = Buffer.concat([Buffer.from("OpusTags"), Buffer.alloc(8)]);
// Configuration 11 (SILK, wideband, 60 ms), mono, one frame, of which there is nothing.
const silkMono60ms = 11 << 3;

interface PageParts {
  readonly packets: readonly Uint8Array[];
  readonly sequence: number;
  readonly granule: number;
  readonly flags: number;
}

/** A page of whole packets, each shorter than 255 bytes or as long as its parts say. */
function oggPage({ packets, sequence, granule, flags }: PageParts): Uint8Array {
  const lacing = packets.flatMap(({ length }) => [...Array<number>(Math.floor(length / 255)).fill(255), length % 255]);
  const header = Buffer.alloc(27);
  header.write("OggS", 0, "latin1");
  header[5] = flags;
  header.writeBigInt64LE(BigInt(granule), 6);
  header.writeUInt32LE(1, 14);
  header.writeUInt32LE(sequence, 18);
  header[26] = lacing.length;
  const page = Buffer.concat([header, Buffer.from(lacing), ...packets]);
  page.writeUInt32LE(oggCrc(page), 22);
  return page;
}
