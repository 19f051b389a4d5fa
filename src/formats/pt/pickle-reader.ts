import { isUtf8 } from "node:buffer";
import type { OutputMeter } from "../../input/output-limit.ts";
import { badFile } from "../bad-file.ts";

/** The bytes of a pickle, and its position for errors. */
export interface PickleBytes {
  readonly bytes: Buffer;
  readonly name: string;
  /** The offset of the first byte in the file. */
  readonly fileOffset: number;
  /** Counts everything that the pickle creates. */
  readonly meter: OutputMeter;
}

// Far more than needed; arithmetic with larger ones gets slow.
const longestInteger = 1024;

/** Reads the opcodes of a pickle and their arguments. */
export class PickleReader {
  position: number;
  private readonly input: PickleBytes;
  private opAt: number;

  constructor(input: PickleBytes, start: number) {
    this.input = input;
    this.position = start;
    this.opAt = start;
  }

  opcode(): number {
    this.opAt = this.position;
    return this.byte();
  }

  uint16(): number {
    return this.input.bytes.readUInt16LE(this.advance(2));
  }

  int32(): number {
    return this.input.bytes.readInt32LE(this.advance(4));
  }

  double(): number {
    return this.input.bytes.readDoubleBE(this.advance(8));
  }

  byte(): number {
    const value = this.input.bytes[this.position];
    if (value === undefined) throw this.fail("the pickle ends too early");
    this.position++;
    return value;
  }

  /** Skips `length` bytes, which must exist; returns their start. */
  advance(length: number): number {
    const start = this.position;
    if (start + length > this.input.bytes.length) {
      throw this.fail(`the pickle ends too early: ${length} bytes are expected`);
    }
    this.position += length;
    return start;
  }

  private take(length: number): Buffer {
    const start = this.advance(length);
    return this.input.bytes.subarray(start, start + length);
  }

  length4(): number {
    return this.input.bytes.readUInt32LE(this.advance(4));
  }

  text(length: number): string {
    const bytes = this.take(length);
    this.input.meter.spend(2 * length);
    if (!isUtf8(bytes)) throw this.fail("a text in the pickle is not UTF-8");
    return bytes.toString("utf8");
  }

  /** An integer of any size, little-endian; a bigint only if a number would not be exact. */
  integer(length: number): number | bigint {
    if (length > longestInteger) throw this.fail(`the pickle has an integer of ${length} bytes`);
    if (length === 0) return 0;
    const hex = Buffer.from(this.take(length)).reverse().toString("hex");
    const value = BigInt.asIntN(8 * length, BigInt(`0x${hex}`));
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }

  line(): string {
    const end = this.input.bytes.indexOf(0x0a, this.position);
    if (end < 0) throw this.fail("the pickle ends within a name");
    const text = this.input.bytes.toString("latin1", this.position, end);
    this.position = end + 1;
    return text;
  }

  /** The error for the current opcode. */
  fail(problem: string, hint?: string): Error {
    return badFile(this.input.name, this.input.fileOffset + this.opAt, problem, hint);
  }
}
