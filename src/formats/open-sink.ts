import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { MillraceError, messageOf } from "../errors/errors.ts";
import { FileSink } from "./file-sink.ts";

/** Creates a file and its folder. */
export function openSink(path: string): FileSink {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (cause) {
    throw new MillraceError("STORE_IO", `The folder of ${path} cannot be made: ${messageOf(cause)}.`, {
      cause,
      hint: "Check the path and its permissions.",
    });
  }
  return new FileSink(path);
}
