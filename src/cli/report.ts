import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { join, resolve } from "node:path";
import { collectReport } from "../dashboard/collect-report.ts";
import { makeReport, reportMark } from "../dashboard/make-report.ts";
import { webFolderUrl } from "../shared/entry-url.ts";
import { MillraceError, messageOf } from "../shared/errors.ts";
import { replaceFileQuickly } from "../store/durable-files.ts";
import { type Command, exitCode } from "./command.ts";

const fileName = "report.html";

export const report: Command = {
  name: "report",
  usage: "RUN [--out FILE]",
  summary: "Writes the story of a run into one HTML file that needs nothing else, to keep or to send.",
  details:
    `Without --out it is ${fileName} in the folder of the run. A report that is there is replaced; any other file is left\n` +
    "as it is.",
  options: { out: { type: "string", value: "FILE", help: "write to FILE" } },
  examples: ["millrace report exp/prep", "millrace report exp/prep --out prep.html"],
  arguments: { least: 1, most: 1 },
  async run({ positionals: [runDir], text }) {
    const data = await collectReport(runDir!);
    const file = resolve(text("out") ?? join(runDir!, fileName));
    refuseForeign(file);
    write(file, makeReport(data, webFolderUrl()));
    process.stderr.write(`millrace: ${file} holds the report\n`);
    return exitCode.ok;
  },
};

function write(file: string, page: string): void {
  try {
    replaceFileQuickly(file, page);
  } catch (error) {
    throw new MillraceError("BAD_USAGE", `The report cannot be written: ${messageOf(error)}.`, {
      hint: "--out FILE writes it elsewhere.",
      cause: error,
    });
  }
}

/** A file that someone else has made is not lost to a report. */
function refuseForeign(file: string): void {
  if (!existsSync(file) || beginningOf(file).includes(reportMark)) return;
  throw new MillraceError("BAD_USAGE", `${file} is there and is no report of millrace: it is not overwritten.`, {
    hint: "Move it away, or name another file with --out.",
  });
}

function beginningOf(file: string): string {
  try {
    const fd = openSync(file, "r");
    try {
      const bytes = Buffer.alloc(1024);
      return bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    // A folder, or what may not be read: no report either.
    return "";
  }
}
