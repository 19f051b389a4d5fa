import { decodePt } from "../../../src/formats/pt/decode-pt.ts";
import type { PtValue } from "../../../src/formats/pt/pt-value.ts";
import { readPt } from "../../../src/formats/pt/read-pt.ts";
import { goldenBytes } from "../../support/formats/golden.ts";
import { withPickle } from "../../support/formats/with-pickle.ts";
import { deflatedZeros, mutateEntries } from "../mutate-archive.ts";
import { byteMutators, splice } from "../mutate-bytes.ts";
import type { Random } from "../random.ts";
import { readEither } from "../read-either.ts";
import { type Mutator, placed, type Reader } from "../reader.ts";
import { checkArray, honestFiles } from "./arrays.ts";

// Opcodes that a pickle of tensors has, with arguments.
const opcodes: readonly string[] = [
  "(",
  ")",
  "]",
  "}",
  "N",
  "\x88",
  "\x89",
  "0",
  "1",
  "2",
  "a",
  "e",
  "s",
  "u",
  "t",
  "\x85",
  "\x86",
  "\x87",
  "R",
  "b",
  "Q",
  "\x81",
  "\x93",
  "\x94",
  "q\x00",
  "q\x01",
  "h\x00",
  "h\x01",
  "h\x02",
  "r\xff\xff\xff\x7f",
  "j\0\0\0\0",
  "K\x05",
  "M\xff\xff",
  "J\xff\xff\xff\xff",
  "\x8a\xff",
  "\x8b\xff\xff\xff\x7f",
  "X\xff\xff\xff\x7f",
  "X\x01\0\0\0a",
  "\x8c\x03abc",
  "G\x7f\xf0\0\0\0\0\0\0",
  "G\x7f\xf8\0\0\0\0\0\0",
  "\x80\x02",
  "\x95\xff\xff\xff\xff\xff\xff\xff\xff",
  "cposix\nsystem\n",
  "ctorch._utils\n_rebuild_tensor_v2\n",
  "ctorch\nFloatStorage\n",
  "ccollections\nOrderedDict\n",
  ".",
];

function insertOpcodes(bytes: Buffer, random: Random): Buffer {
  const put = Array.from({ length: 1 + random.below(6) }, () => random.pick(opcodes)).join("");
  const times = random.pick([1, 1, 1, 100, 3000]);
  return splice(bytes, random.below(bytes.length + 1), random.below(2), Buffer.from(put.repeat(times), "latin1"));
}

const mutatePickle: Mutator = (bytes, random) =>
  random.chance(0.6) || bytes.length === 0 ? insertOpcodes(bytes, random) : random.pick(byteMutators)(bytes, random);

const inPt = (pickle: string): Buffer => withPickle(pickle, {});

/** Each list holds the one before it several times: few bytes to write, endless to copy. */
function nestedLists(levels: number, width: number, container: "list" | "tuple" | "dict"): string {
  const put = (n: number): string => `r${String.fromCharCode(n & 255, n >> 8, 0, 0)}`;
  const get = (n: number): string => `j${String.fromCharCode(n & 255, n >> 8, 0, 0)}`;
  let pickle = `\x80\x02]${put(0)}`;
  for (let level = 1; level <= levels; level++) {
    if (container === "list") pickle += `]${put(level)}(${get(level - 1).repeat(width)}e`;
    else if (container === "tuple") pickle += `(${get(level - 1).repeat(width)}t${put(level)}`;
    else {
      const entries = Array.from({ length: width }, (_, i) => `K${String.fromCharCode(i)}${get(level - 1)}`);
      pickle += `}${put(level)}(${entries.join("")}u`;
    }
  }
  return `${pickle}.`;
}

/** Many references to one long list: each becomes a copy. */
function sharedList(length: number, times: number): string {
  return `\x80\x02]q\x00(${"K\x01".repeat(length)}e0](${"h\x00".repeat(times)}e.`;
}

/** Many calls that copy one long list of pairs. */
function sharedPairs(length: number, times: number): string {
  const pairs = Array.from({ length }, (_, i) => `M${String.fromCharCode(i & 255, i >> 8)}K\x01\x86`).join("");
  return `\x80\x02ccollections\nOrderedDict\nq\x01](${pairs}eq\x00${"h\x01h\x00\x85R0".repeat(times)}.`;
}

function readAll(value: PtValue): void {
  if (value instanceof Map) for (const item of value.values()) readAll(item);
  else if (Array.isArray(value)) for (const item of value) readAll(item as PtValue);
  else checkArray(value);
}

const read: Reader["read"] = (input) => readAll(readEither(input, decodePt, readPt));

export const pt: Reader = {
  covers: ["decodePt", "readPt"],
  seeds: () => honestFiles("pt").filter((bytes) => bytes.readUInt16LE(0) === 0x4b50),
  bombs: [
    () => inPt(nestedLists(30, 10, "list")),
    () => inPt(nestedLists(30, 10, "tuple")),
    () => inPt(nestedLists(30, 10, "dict")),
    () => inPt(nestedLists(5000, 1, "list")),
    () => inPt(sharedList(50_000, 50_000)),
    () => inPt(sharedPairs(20_000, 30_000)),
    () => inPt(`\x80\x02${"]".repeat(300_000)}${"a".repeat(299_999)}.`),
    () => inPt(`\x80\x02${"(".repeat(300_000)}.`),
    () => inPt(`\x80\x02N${"\x85".repeat(300_000)}.`),
    () => deflatedZeros("archive/data.pkl"),
  ],
  mutators: [mutateEntries(mutatePickle)],
  named: placed,
  read,
};

/** A file of the old form whose value is another pickle. */
function legacyWith(pickle: string): Buffer {
  const file = goldenBytes("legacy.pt");
  // Three pickles stand before it: a number, a version, facts about the system.
  let at = 0;
  for (let i = 0; i < 3; i++) at = file.indexOf("\x2e\x80\x02", at, "latin1") + 1;
  return Buffer.concat([file.subarray(0, at), Buffer.from(pickle, "latin1")]);
}

export const legacyPt: Reader = {
  covers: ["decodePt"],
  seeds: () => [goldenBytes("legacy.pt")],
  bombs: [() => legacyWith(sharedList(50_000, 50_000)), () => legacyWith(sharedPairs(20_000, 30_000))],
  mutators: [mutatePickle],
  named: placed,
  read,
};
