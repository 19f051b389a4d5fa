import { distanceBase, distanceExtra, lengthBase, lengthExtra, orderOfLengths } from "./deflate-codes.ts";
import { fixedTables, type HuffmanTable, makeHuffmanTable } from "./huffman-table.ts";

const historyBytes = 32768;
const outputBytes = 1 << 20;
// What one symbol, and the tables of a block, can take from the input at most.
const maxSymbolBytes = 16;
const maxTablesBytes = 400;

/** Why `run` stopped: it needs input, its output must be taken, a block begins, the stream has ended. */
type Stop = "input" | "output" | "block" | "end";

/** What is wrong with compressed data. */
export class BadDeflate extends Error {}

/**
 * Unpacks deflate, and stops at the beginning of each block: there reading can begin again later. zlib in Node.js does not say
 * where blocks begin, so the index of a file is built with this; rows are then read with zlib.
 */
export class Inflater {
  private input: Uint8Array;
  private isLast: boolean;
  private at = 0;
  private bits = 0;
  private bitCount = 0;
  private readonly output = new Uint8Array(historyBytes + outputBytes + 512);
  private outputAt = 0;
  private takenAt = 0;
  /** Nothing before this belongs to the stream. */
  private floor = 0;
  private state: "header" | "stored" | "codes" | "end" = "header";
  private isFinal = false;
  private hasStopped = false;
  private stored = 0;
  private literals: HuffmanTable = fixedTables.literals;
  private distances: HuffmanTable = fixedTables.distances;

  constructor(input: Uint8Array = new Uint8Array(0), isLast = false) {
    this.input = input;
    this.isLast = isLast;
  }

  /** Continues with more input. */
  feed(chunk: Uint8Array, isLast: boolean): void {
    this.input = Buffer.concat([this.input.subarray(this.at), chunk]);
    this.at = 0;
    this.isLast = isLast;
  }

  /** Begins a stream of its own in the same input, at the next whole byte. */
  restart(): void {
    this.floor = this.outputAt;
    this.state = "header";
    this.isFinal = this.hasStopped = false;
  }

  /** The bits of the input that have not been used: where the stream is. */
  get unusedBits(): number {
    return (this.input.length - this.at) * 8 + this.bitCount;
  }

  /** The whole bytes that are left, from the next one on. `skip` says how many of them were used. */
  rest(): Uint8Array {
    this.at -= this.bitCount >> 3;
    this.bits = this.bitCount = 0;
    return this.input.subarray(Math.min(this.at, this.input.length));
  }

  skip(bytes: number): void {
    this.at += bytes;
  }

  /** What has been unpacked since the last call. It is valid until the next `run`. */
  take(): Uint8Array {
    const taken = this.output.subarray(this.takenAt, this.outputAt);
    this.takenAt = this.outputAt;
    return taken;
  }

  /** How much there is to take. */
  get pending(): number {
    return this.outputAt - this.takenAt;
  }

  /** Up to 32 KiB before the current position: what later data may refer to. */
  history(): Uint8Array {
    return this.output.slice(Math.max(this.floor, this.outputAt - historyBytes), this.outputAt);
  }

  run(): Stop {
    if (this.outputAt - historyBytes >= outputBytes) {
      if (this.pending > 0) return "output";
      this.slide();
    }
    for (;;) {
      if (this.state === "end") return "end";
      if (this.state === "header") {
        if (this.isFinal) {
          this.state = "end";
          continue;
        }
        if (!this.hasStopped) {
          this.hasStopped = true;
          return "block";
        }
        if (!this.isLast && this.input.length - this.at < maxTablesBytes) return "input";
        this.hasStopped = false;
        this.beginBlock();
        this.refuseOverrun();
        continue;
      }
      const stop = this.state === "stored" ? this.copyStored() : this.decode();
      if (stop !== undefined) return stop;
    }
  }

  private slide(): void {
    const from = this.outputAt - historyBytes;
    this.output.copyWithin(0, from, this.outputAt);
    this.outputAt = this.takenAt = historyBytes;
    this.floor = Math.max(0, this.floor - from);
  }

  private beginBlock(): void {
    this.isFinal = this.take32(1) === 1;
    const type = this.take32(2);
    if (type === 0) this.beginStored();
    else if (type === 1) this.useTables(fixedTables);
    else if (type === 2) this.useTables(this.readTables());
    else throw new BadDeflate("a block has no valid type");
  }

  private beginStored(): void {
    const drop = this.bitCount & 7;
    this.bits >>>= drop;
    this.bitCount -= drop;
    const length = this.take32(16);
    if (this.take32(16) !== (length ^ 0xffff)) throw new BadDeflate("the length of a stored block is damaged");
    // Whole bytes are left in the bits: they are read again.
    this.at -= this.bitCount >> 3;
    this.bits = this.bitCount = 0;
    this.stored = length;
    this.state = "stored";
  }

  private useTables({ literals, distances }: { literals: HuffmanTable; distances: HuffmanTable }): void {
    this.literals = literals;
    this.distances = distances;
    this.state = "codes";
  }

  private readTables(): { literals: HuffmanTable; distances: HuffmanTable } {
    const [literalCount, distanceCount, lengthCount] = [this.take32(5) + 257, this.take32(5) + 1, this.take32(4) + 4];
    if (literalCount > 286 || distanceCount > 30) throw new BadDeflate("a block announces too many codes");
    const lengths = new Uint8Array(19);
    for (let i = 0; i < lengthCount; i++) lengths[orderOfLengths[i]!] = this.take32(3);
    const table = makeHuffmanTable(lengths, false);
    if (table === undefined || table.mask === 0) throw new BadDeflate("the code lengths of a block are damaged");
    const codes = new Uint8Array(literalCount + distanceCount);
    for (let i = 0; i < codes.length; ) {
      const symbol = this.takeSymbol(table);
      if (symbol < 16) {
        codes[i++] = symbol;
        continue;
      }
      const value = symbol === 16 ? codes[i - 1] : 0;
      const repeat = symbol === 16 ? 3 + this.take32(2) : symbol === 17 ? 3 + this.take32(3) : 11 + this.take32(7);
      if (value === undefined || i + repeat > codes.length) throw new BadDeflate("a repeated code length is damaged");
      codes.fill(value, i, i + repeat);
      i += repeat;
    }
    if (codes[256] === 0) throw new BadDeflate("a block has no code for its end");
    const literals = makeHuffmanTable(codes.subarray(0, literalCount));
    const distances = makeHuffmanTable(codes.subarray(literalCount));
    if (literals === undefined || distances === undefined) throw new BadDeflate("the codes of a block are damaged");
    return { literals, distances };
  }

  private takeSymbol({ entries, mask }: HuffmanTable): number {
    this.refill();
    const entry = entries[this.bits & mask]!;
    if (entry === 0) throw new BadDeflate("a code is not valid");
    this.bits >>>= entry & 15;
    this.bitCount -= entry & 15;
    return entry >>> 4;
  }

  private take32(count: number): number {
    this.refill();
    const value = this.bits & ((1 << count) - 1);
    this.bits >>>= count;
    this.bitCount -= count;
    return value;
  }

  private refill(): void {
    while (this.bitCount < 25) {
      this.bits |= (this.input[this.at++] ?? 0) << this.bitCount;
      this.bitCount += 8;
    }
  }

  /** Bits beyond the end of the input were zeros of our own. */
  private refuseOverrun(): void {
    if (this.at - (this.bitCount >> 3) > this.input.length) throw new BadDeflate("it ends within a block");
  }

  private copyStored(): Stop | undefined {
    while (this.stored > 0) {
      const room = historyBytes + outputBytes - this.outputAt;
      if (room <= 0) return "output";
      const count = Math.min(this.stored, room, this.input.length - this.at);
      if (count <= 0) {
        if (this.isLast) throw new BadDeflate("it ends within a stored block");
        return "input";
      }
      this.output.set(this.input.subarray(this.at, this.at + count), this.outputAt);
      this.at += count;
      this.outputAt += count;
      this.stored -= count;
    }
    this.state = "header";
    return undefined;
  }

  private decode(): Stop | undefined {
    const { input, output, floor } = this;
    const { entries: literals, mask: literalMask } = this.literals;
    const { entries: distances, mask: distanceMask } = this.distances;
    const inputLimit = this.isLast ? Number.POSITIVE_INFINITY : input.length - maxSymbolBytes;
    const outputLimit = historyBytes + outputBytes;
    let { at, bits, bitCount, outputAt } = this;
    let stop: Stop | undefined;
    for (;;) {
      if (outputAt >= outputLimit) {
        stop = "output";
        break;
      }
      if (at > inputLimit) {
        stop = "input";
        break;
      }
      if (at > input.length && at - (bitCount >> 3) > input.length) throw new BadDeflate("it ends within a block");
      for (; bitCount < 25; bitCount += 8) bits |= input[at++]! << bitCount;
      let entry = literals[bits & literalMask]!;
      let used = entry & 15;
      let symbol = entry >>> 4;
      bits >>>= used;
      bitCount -= used;
      if (symbol < 256) {
        if (used === 0) throw new BadDeflate("a code is not valid");
        output[outputAt++] = symbol;
        continue;
      }
      if (symbol === 256) {
        this.state = "header";
        break;
      }
      symbol -= 257;
      if (symbol > 28) throw new BadDeflate("a length is not valid");
      let extra = lengthExtra[symbol]!;
      const length = lengthBase[symbol]! + (bits & ((1 << extra) - 1));
      bits >>>= extra;
      bitCount -= extra;
      for (; bitCount < 25; bitCount += 8) bits |= input[at++]! << bitCount;
      entry = distances[bits & distanceMask]!;
      used = entry & 15;
      symbol = entry >>> 4;
      if (used === 0 || symbol > 29) throw new BadDeflate("a distance is not valid");
      bits >>>= used;
      bitCount -= used;
      for (; bitCount < 25; bitCount += 8) bits |= input[at++]! << bitCount;
      extra = distanceExtra[symbol]!;
      const distance = distanceBase[symbol]! + (bits & ((1 << extra) - 1));
      bits >>>= extra;
      bitCount -= extra;
      if (distance > outputAt - floor) throw new BadDeflate("a distance leads before the beginning");
      for (const end = outputAt + length; outputAt < end; outputAt++) output[outputAt] = output[outputAt - distance]!;
    }
    this.at = at;
    this.bits = bits;
    this.bitCount = bitCount;
    this.outputAt = outputAt;
    return stop;
  }
}
