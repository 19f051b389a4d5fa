import type { LogPiece } from "../../../src/dashboard/run-view.ts";

/** The end of a log as far as it was read: its text, and its start and end offsets in bytes. */
export interface LogTail {
  readonly text: string;
  readonly isCut: boolean;
  readonly next: number;
}

export const maxLogCharacters = 500_000;
export const firstLogBytes = 64_000;

/** The offset at which to start reading a log of this size. */
export function logStart(bytes: number): number {
  return Math.max(0, bytes - firstLogBytes);
}

/** Appends a piece. Only whole lines are dropped at the beginning, and a truncated log starts again. */
export function growLog(tail: LogTail | undefined, piece: LogPiece): LogTail {
  if (tail === undefined || piece.from < tail.next) {
    const isCut = piece.from > 0;
    return limit({ text: isCut ? fromNextLine(piece.text) : piece.text, isCut, next: piece.next });
  }
  return limit({ ...tail, text: tail.text + piece.text, next: piece.next });
}

function limit(tail: LogTail): LogTail {
  if (tail.text.length <= maxLogCharacters) return tail;
  return { ...tail, text: fromNextLine(tail.text.slice(-maxLogCharacters)), isCut: true };
}

function fromNextLine(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 ? text : text.slice(end + 1);
}
