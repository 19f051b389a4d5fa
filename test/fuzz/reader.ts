import type { ErrorCode } from "../../src/errors/errors.ts";
import type { Random } from "./random.ts";

/** What a reader is given in one case. */
export interface Case {
  readonly bytes: Buffer;
  /** Writes the bytes to a file and returns its path, for readers that take one. */
  file(name?: string): string;
  readonly random: Random;
  /** Only options that suit every honest file are used. */
  readonly isPlain: boolean;
}

/** Changes a file in a way that knows something of its structure. */
export type Mutator = (bytes: Buffer, random: Random) => Buffer;

/** What a case may take: a constant, and so much for each byte of it. */
export interface MemoryBudget {
  readonly constantBytes: number;
  readonly perByte: number;
}

/** One way into the library for foreign data, and how such data is made and judged. */
export interface Reader {
  /** The public functions whose code it reaches. `test/fuzz/coverage.test.ts` wants each of them in a reader. */
  readonly covers: readonly string[];
  /** Honest files. Each is read as it is, too: a refusal of one is a finding. */
  readonly seeds: () => readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
  /** Small files that ask for much time or memory. They may be refused. */
  readonly bombs?: readonly (() => Uint8Array | Promise<Uint8Array>)[];
  /** Whether bombs are read twice: without options, and with some that the case chooses. */
  readonly hasOptions?: boolean;
  /** Whether the files are text: the general mutators then know words, numbers and brackets instead of bytes. */
  readonly isText?: boolean;
  /** Its own mutators, used as often as the general ones. */
  readonly mutators?: readonly Mutator[];
  /** Corrects checksums, so that what is behind them is reached. Used in three of four cases. */
  readonly repair?: (bytes: Buffer) => Buffer;
  /**
   * Reads everything in it. Throws a {@link WrongValue} for what must not come out. What it returns for an honest file must
   * be the same behind all cases as before them.
   */
  readonly read: (input: Case) => unknown;
  /** The codes of the errors that a damaged file may have. Default: BAD_FILE. */
  readonly codes?: readonly ErrorCode[];
  /** What every error message must hold. Default: the name of the file. */
  readonly named?: RegExp;
  /** Default: the larger of 64 MiB and 100 times the file, as for all readers. */
  readonly memory?: MemoryBudget;
}

/** A value that no reader may give: NaN among samples, a name that leaves the folder. */
export class WrongValue extends Error {
  override readonly name = "WrongValue";
}

/** What errors call the file of a case. */
export const caseName = "damaged.bin";

/** For readers that hold little more than the file: what they read, and objects that are soon forgotten. */
export const modest: MemoryBudget = { constantBytes: 1 << 20, perByte: 4 };

/** Errors of binary files say where in the file it is, too. */
export const placed: RegExp = /damaged\.bin.*, offset \d+: /s;
