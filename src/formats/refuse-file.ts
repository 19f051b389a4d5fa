import { MillraceError } from "../errors/errors.ts";
import { badFile } from "./bad-file.ts";

/** Like `badFile`, for a problem of a file as a whole, or with its own hint or cause. */
export function refuseFile(
  name: string,
  offset: number | undefined,
  problem: string,
  details: { readonly hint?: string; readonly cause?: unknown } = {},
): MillraceError {
  const usual = badFile(name, offset ?? 0, problem);
  const message = offset === undefined ? `${name}: ${problem}.` : usual.reason;
  return new MillraceError("BAD_FILE", message, { hint: usual.hint!, ...details });
}
