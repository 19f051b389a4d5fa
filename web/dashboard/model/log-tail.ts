import type { LogPiece } from "../../../src/dashboard/run-view.ts";

/** The end of a log as far as it was read: text, where it begins and where the next piece does, in bytes. */
export interface LogTail {
  readonly text: string;
  readonly isCut: boolean;
  readonly next: number;
}

export const mostLogCharacters = 500_000;
export const firstLogBytes = 64_000;

/** Where to begin with a log of so many bytes. */
export function logStart(bytes: number): number {
  return Math.max(0, bytes - firstLogBytes);
}

/** Puts a piece behind what was read. Whole lines only are dropped at the beginning, and a log that was cut short begins anew. */
export function growLog(tail: LogTail | undefined, piece: LogPiece): LogTail {
  if (tail === undefined || piece.from < tail.next) {
    const isCut = piece.from > 0;
    return limit({ text: isCut ? fromNextLine(piece.text) : piece.text, isCut, next: piece.next });
  }
  return limit({ ...tail, text: tail.text + piece.text, next: piece.next });
}

function limit(tail: LogTail): LogTail {
  if (tail.text.length <= mostLogCharacters) return tail;
  return { ...tail, text: fromNextLine(tail.text.slice(-mostLogCharacters)), isCut: true };
}

function fromNextLine(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 ? text : text.slice(end + 1);
}
