import { type ErrorCode, MillraceError } from "../errors/errors.ts";

/** How much memory a reader may use for one file. The option has this name in every reader. */
export interface OutputOptions {
  /**
   * The maximum number of bytes that the reader holds at once of its output. A file that needs more is refused before
   * the memory is allocated. Default: the larger of 64 MiB and 100 times the file size.
   */
  readonly maxOutputBytes?: number;
}

const minLimitBytes = 64 * 2 ** 20;
const maxGrowth = 100;

/** The maximum number of output bytes for a file of this size: a small file must not fill the memory. */
export function outputLimit(fileBytes: number, { maxOutputBytes }: OutputOptions = {}): number {
  if (maxOutputBytes === undefined) return Math.max(minLimitBytes, maxGrowth * fileBytes);
  // Written so that NaN is refused too.
  if (maxOutputBytes >= 0) return maxOutputBytes;
  throw new MillraceError("BAD_OPTION", `maxOutputBytes cannot be ${maxOutputBytes}.`, {
    hint: "Give a number of bytes, Infinity for no limit, or leave it out for the default.",
  });
}

/** What is refused: the file, which part of it is too large, and the limit. */
export interface ExcessOutput {
  /** The file, with the position in it if there is one. */
  readonly where: string;
  /** What would be created: "its rows", "the zip entry x.npy". */
  readonly what: string;
  /** Its size. Undefined if only known to be above the limit. */
  readonly bytes?: number;
  readonly limit: number;
}

/** The error for a file whose output would be larger than `outputLimit` allows. */
export function tooMuchOutput(code: ErrorCode, { where, what, bytes, limit }: ExcessOutput): MillraceError {
  const size = bytes === undefined ? "more" : `${bytes} bytes, more`;
  return new MillraceError(code, `${where}: ${what} would become ${size} than the ${limit} bytes allowed.`, {
    hint: "A file like this can fill the memory. If you trust it, raise maxOutputBytes.",
  });
}

/** Adds up the output of a reader and refuses the file when the sum exceeds the limit. */
export class OutputMeter {
  private readonly limit: number;
  private readonly refuse: (limit: number) => Error;
  private bytes = 0;

  constructor(limit: number, refuse: (limit: number) => Error) {
    this.limit = limit;
    this.refuse = refuse;
  }

  /** The sum so far. */
  get spent(): number {
    return this.bytes;
  }

  /** Called before the bytes are allocated. */
  spend(bytes: number): void {
    this.require(bytes);
    this.bytes += bytes;
  }

  /** The same for temporary memory: it is not added to the sum. */
  require(bytes: number): void {
    if (this.bytes + bytes > this.limit) throw this.refuse(this.limit);
  }
}
