import { MillraceError } from "../errors/errors.ts";

/** An error about a file's bytes: the file, the offset, and the problem. Every reader of this folder uses it. */
export function badFile(name: string, offset: number, problem: string, hint: string = damagedHint): MillraceError {
  return new MillraceError("BAD_FILE", `${name}, offset ${offset}: ${problem}.`, { hint });
}

const damagedHint = "The file is damaged, incomplete or of another kind: copy it or make it again.";
