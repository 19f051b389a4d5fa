import { dirname, relative, resolve, sep } from "node:path";
import { MillraceError } from "../../errors/errors.ts";
import type { NdArray } from "../nd-array.ts";
import { openSink } from "../open-sink.ts";
import { encodeArkEntry } from "./encode-ark-entry.ts";
import { formatScpLine } from "./scp-line.ts";

/** Options of {@link openArkWriter}. */
export interface OpenArkWriterOptions {
  /** Also writes an scp list that points into the archive. */
  readonly scp?: string;
  /** How the list refers to the archive: relative to the list's folder (both can be moved together) or absolute. */
  readonly scpPaths?: "relative" | "absolute";
  /** Kaldi's text form instead of its binary one. */
  readonly text?: boolean;
}

/** Writes an archive and, where it is asked for, the list that points into it. */
export interface ArkWriter extends Disposable {
  /** Appends an entry; returns the offset of its value, as scp lists name it. */
  write(key: string, value: NdArray): number;
  close(): void;
}

/** Writes an archive and, on request, its scp list, entry by entry. */
export function openArkWriter(arkPath: string, options: OpenArkWriterOptions = {}): ArkWriter {
  const ark = openSink(arkPath);
  const scp = options.scp === undefined ? undefined : openSink(options.scp);
  const path = scp === undefined ? "" : pathInScp(arkPath, scp.path, options.scpPaths);
  let isOpen = true;
  const close = (): void => {
    isOpen = false;
    ark.close();
    scp?.close();
  };
  return {
    write: (key, value) => {
      if (!isOpen)
        throw new MillraceError("WRITER_FAILED", `${arkPath} was written to after it was closed.`, {
          hint: "Close it once, after the last record.",
        });
      const { bytes, valueOffset } = encodeArkEntry(key, value, options);
      const offset = ark.bytes + valueOffset;
      // The line first, because it may be refused: list and archive must match.
      scp?.write(Buffer.from(formatScpLine({ key, path, offset })));
      ark.write(bytes);
      return offset;
    },
    close,
    [Symbol.dispose]: close,
  };
}

function pathInScp(path: string, scpPath: string, paths: "relative" | "absolute" = "relative"): string {
  if (paths === "absolute") return resolve(path);
  return relative(dirname(resolve(scpPath)), resolve(path))
    .split(sep)
    .join("/");
}
