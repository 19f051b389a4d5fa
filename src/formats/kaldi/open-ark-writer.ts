import { dirname, relative, resolve, sep } from "node:path";
import { MillraceError } from "../../shared/errors.ts";
import type { NdArray } from "../nd-array.ts";
import { openSink } from "../open-sink.ts";
import { encodeArkEntry } from "./encode-ark-entry.ts";
import { formatScpLine } from "./scp-line.ts";

/** How an archive and its list are written. */
export interface OpenArkWriterOptions {
  /** Also writes an scp list that points into the archive. */
  readonly scp?: string;
  /** How the list names the archive: relative to the list's folder (both can be moved together) or absolute. */
  readonly scpPaths?: "relative" | "absolute";
  /** Kaldi's text form instead of its binary one. */
  readonly text?: boolean;
}

/** Writes an archive and, where it is asked for, the list that points into it. */
export interface ArkWriter {
  /** Appends an entry; returns the offset of its value, as scp lists name it. */
  write(key: string, value: NdArray): number;
  close(): void;
}

/** Writes an archive and, if wanted, its scp list, entry by entry. */
export function openArkWriter(arkPath: string, options: OpenArkWriterOptions = {}): ArkWriter {
  const ark = openSink(arkPath);
  const scp = options.scp === undefined ? undefined : openSink(options.scp);
  const path = scp === undefined ? "" : pathInScp(arkPath, scp.path, options.scpPaths);
  let isOpen = true;
  return {
    write: (key, value) => {
      if (!isOpen)
        throw new MillraceError("WRITER_FAILED", `${arkPath} was written to after it was closed.`, {
          hint: "Close it once, after the last record.",
        });
      const { bytes, valueOffset } = encodeArkEntry(key, value, options);
      const offset = ark.bytes + valueOffset;
      // First the line, which may be refused, so that the list and the archive stay together.
      scp?.write(Buffer.from(formatScpLine({ key, path, offset })));
      ark.write(bytes);
      return offset;
    },
    close: () => {
      isOpen = false;
      ark.close();
      scp?.close();
    },
  };
}

/** How an scp list should name a file: relative to the list's folder, so that the line stays true when both are moved. */
export function pathInScp(path: string, scpPath: string, paths: "relative" | "absolute" = "relative"): string {
  if (paths === "absolute") return resolve(path);
  return relative(dirname(resolve(scpPath)), resolve(path))
    .split(sep)
    .join("/");
}
