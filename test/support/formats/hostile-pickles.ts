import { ZipWriter } from "../../../src/formats/zip/zip-writer.ts";
import { withPickle } from "./with-pickle.ts";

/** One list of pairs, and an OrderedDict made of it as often as there is room: each copies the list. */
export function orderedDictBomb(sizeBytes: number): Uint8Array {
  const pairs = `](${"K\x01K\x02\x86".repeat(sizeBytes / 2 / 5)}eq\0`;
  const copies = "h\x01h\0\x85R0".repeat(sizeBytes / 2 / 7);
  return withPickle(`\x80\x02${pairs}ccollections\nOrderedDict\nq\x01${copies}.`, {});
}

/** Each level of the list begins with the whole list again. */
export function selfHoldingList(length: number): Uint8Array {
  return withPickle(`\x80\x02]q\0(h\0${"N".repeat(length)}e.`, {});
}

/** A pickle of one opcode again and again, deflated to a thousandth. */
export function deepPickle(opcode: string, count: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  const writer = new ZipWriter((bytes) => pieces.push(bytes));
  writer.add("archive/data.pkl", Buffer.from(`\x80\x02(${opcode.repeat(count)}t.`, "latin1"), { compress: true });
  writer.finish();
  return Buffer.concat(pieces);
}
