import { closeSync, existsSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { collectReport } from "../dashboard/collect-report.ts";
import { makeReport, reportMark } from "../dashboard/make-report.ts";
import { MillraceError, messageOf } from "../errors/errors.ts";
import { openFileToRead, writeFileAtomic } from "../run-folder/files/durable-files.ts";
import { replaceInRun } from "../run-folder/files/run-files.ts";
import { runPaths } from "../run-folder/files/run-paths.ts";
import { webFolderUrl } from "../runtime/entry-url.ts";
import { type Command, exitCode } from "./command.ts";

const fileName = "report.html";

export const report: Command = {
  name: "report",
  usage: "RUN [--out FILE]",
  summary: "Writes a report of a run as one self-contained HTML file.",
  details:
    `Without --out it is ${fileName} in the folder of the run. An existing report is replaced; any other file is not\n` +
    "overwritten.",
  options: { out: { type: "string", value: "FILE", help: "write to FILE" } },
  examples: ["millrace report exp/prep", "millrace report exp/prep --out prep.html"],
  arguments: { min: 1, max: 1 },
  async run({ positionals: [runDir], text }) {
    const data = await collectReport(runDir!);
    const paths = runPaths(runDir!);
    const out = text("out");
    const file = out === undefined ? paths.output(fileName) : resolve(out);
    refuseOtherFile(file);
    const page = makeReport(data, webFolderUrl());
    write(() => (out === undefined ? replaceInRun(paths.root, file, page) : writeFileAtomic(file, page)));
    process.stderr.write(`millrace: the report is in ${file}\n`);
    return exitCode.ok;
  },
};

function write(put: () => void): void {
  try {
    put();
  } catch (error) {
    throw new MillraceError("BAD_USAGE", `The report cannot be written: ${messageOf(error)}.`, {
      hint: "--out FILE writes it elsewhere.",
      cause: error,
    });
  }
}

/** Refuses to overwrite a file that is not a report. */
function refuseOtherFile(file: string): void {
  if (!existsSync(file) || beginningOf(file).includes(reportMark)) return;
  throw new MillraceError("BAD_USAGE", `${file} exists and is not a report of millrace: it is not overwritten.`, {
    hint: "Move it away, or name another file with --out.",
  });
}

function beginningOf(file: string): string {
  try {
    const fd = openFileToRead(file);
    try {
      const bytes = Buffer.alloc(1024);
      return bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    // A folder, or an unreadable file: not a report either.
    return "";
  }
}
