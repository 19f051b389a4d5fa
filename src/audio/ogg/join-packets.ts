import type { OggPage } from "./ogg-page.ts";

/** Assembles packets from pages; one packet may span many pages. */
export function makePacketJoiner(): (page: OggPage) => Uint8Array[] {
  let open: Uint8Array[] = [];
  return ({ lacing, body, isContinued }) => {
    const packets: Uint8Array[] = [];
    if (!isContinued) open = [];
    let [from, to] = [0, 0];
    for (const length of lacing) {
      to += length;
      if (length === 255) continue;
      const end = body.subarray(from, to);
      packets.push(open.length === 0 ? end : Buffer.concat([...open, end]));
      open = [];
      from = to;
    }
    if (from < to) open.push(body.subarray(from, to));
    return packets;
  };
}
