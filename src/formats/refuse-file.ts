import { MillraceError } from "../shared/errors.ts";
import { badFile } from "./bad-file.ts";

/** Like `badFile`, for what is wrong with a file as a whole, and with an advice or a cause of its own. */
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
