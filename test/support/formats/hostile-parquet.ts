import { brotliCompressSync } from "node:zlib";

/** A field of a structure in Thrift's compact form: its number, and its bytes with their kind. */
type Field = readonly [id: number, kind: number, bytes: Buffer];

const [i32, i64, text, list, struct] = [5, 6, 8, 9, 12];
const plain = 0;
const dictionary = 8;
const types = { INT32: 1, BYTE_ARRAY: 6 } as const;
const codecs = { none: 0, brotli: 4 } as const;

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return Buffer.from([...bytes, left]);
}

const number = (id: number, value: number, kind = i32): Field => [id, kind, varint(2 * value)];
const name = (value: string): Buffer => Buffer.concat([varint(value.length), Buffer.from(value)]);
const listOf = (id: number, kind: number, items: readonly Buffer[]): Field => [
  id,
  list,
  Buffer.concat([Buffer.from([0xf0 + kind]), varint(items.length), ...items]),
];

function structure(...fields: readonly Field[]): Buffer {
  let last = 0;
  const pieces = fields.map(([id, kind, bytes]) => {
    const head = Buffer.from([(id - last) * 16 + kind]);
    last = id;
    return Buffer.concat([head, bytes]);
  });
  return Buffer.concat([...pieces, Buffer.from([0])]);
}

interface Column {
  readonly type: keyof typeof types;
  readonly codec: keyof typeof codecs;
  readonly values: number;
  readonly hasDictionary: boolean;
  readonly pages: Buffer;
}

function page(
  values: number,
  encoding: number,
  content: Buffer,
  codec: keyof typeof codecs,
  isDictionary = false,
): Buffer {
  const packed = codec === "brotli" ? brotliCompressSync(content) : content;
  const inner = isDictionary
    ? structure(number(1, values), number(2, encoding))
    : structure(number(1, values), number(2, encoding), number(3, 3), number(4, 3));
  const header = structure(number(1, isDictionary ? 2 : 0), number(2, content.length), number(3, packed.length), [
    isDictionary ? 7 : 5,
    struct,
    inner,
  ]);
  return Buffer.concat([header, packed]);
}

function file(columns: readonly Column[], rows: number): Buffer {
  const pieces: Buffer[] = [Buffer.from("PAR1")];
  let at = 4;
  const chunks = columns.map(({ type, codec, values, hasDictionary, pages }, i) => {
    const start = at;
    pieces.push(pages);
    at += pages.length;
    const metadata = structure(
      number(1, types[type]),
      listOf(2, i32, [varint(0)]),
      listOf(3, text, [name(`c${i}`)]),
      number(4, codecs[codec]),
      number(5, values, i64),
      number(6, pages.length, i64),
      number(7, pages.length, i64),
      number(9, start, i64),
      ...(hasDictionary ? [number(11, start, i64)] : []),
    );
    return structure(number(2, start, i64), [3, struct, metadata]);
  });
  const schema = [
    structure([4, text, name("schema")], number(5, columns.length)),
    ...columns.map(({ type }, i) => structure(number(1, types[type]), number(3, 0), [4, text, name(`c${i}`)])),
  ];
  const group = structure(listOf(1, struct, chunks), number(2, at, i64), number(3, rows, i64));
  const footer = structure(number(1, 1), listOf(2, struct, schema), number(3, rows, i64), listOf(4, struct, [group]));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([...pieces, footer, length, Buffer.from("PAR1")]);
}

/** A column of zero bytes, in pages that brotli packs to nearly nothing. */
export function parquetBomb(size: { pages: number; values: number; valueBytes: number }): Uint8Array {
  const value = Buffer.alloc(4 + size.valueBytes);
  value.writeUInt32LE(size.valueBytes);
  const content = Buffer.alloc(value.length * size.values);
  if (size.valueBytes > 0) for (let i = 0; i < size.values; i++) value.copy(content, i * value.length);
  const one = page(size.values, plain, content, "brotli");
  const pages = Buffer.concat(Array<Buffer>(size.pages).fill(one));
  const values = size.pages * size.values;
  return file([{ type: "BYTE_ARRAY", codec: "brotli", values, hasDictionary: false, pages }], values);
}

/** Columns that each hold one value again and again, as Arrow writes them: a dictionary of one, and a run. */
export function repeatedColumns(count: number, rows: number): Uint8Array {
  const entry = page(1, plain, Buffer.from([7, 0, 0, 0]), "none", true);
  const run = page(rows, dictionary, Buffer.concat([Buffer.from([1]), varint(2 * rows), Buffer.from([0])]), "none");
  const column = { type: "INT32", codec: "none", values: rows, hasDictionary: true } as const;
  return file(Array<Column>(count).fill({ ...column, pages: Buffer.concat([entry, run]) }), rows);
}
