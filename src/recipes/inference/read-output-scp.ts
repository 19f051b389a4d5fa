import { MillraceError, readLines } from "../../index.ts";
import { type OutputEntry, parseOutputLine } from "./output-line.ts";

/** The records of an scp file, one after the other. What was escaped when it was written is as it was. */
export function* readOutputScp(path: string): Generator<OutputEntry> {
  let number = 0;
  for (const line of linesOf(path)) {
    number++;
    if (line === "" || /^\s/.test(line)) {
      throw new MillraceError("BAD_FILE", `${path}, line ${number}, has no id.`, {
        hint: "Each line is an id, a space and a value.",
      });
    }
    yield parseOutputLine(line);
  }
}

function* linesOf(path: string): Generator<string> {
  try {
    for (const line of readLines(path)) yield line.endsWith("\r") ? line.slice(0, -1) : line;
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== "ENOENT") throw cause;
    throw new MillraceError("BAD_FILE", `There is no file ${path}.`, {
      cause,
      hint: "Name an scp file that is there.",
    });
  }
}
