import { crc32, crcText } from "../../bytes/crc32.ts";
import { readIfPresent, writeFully } from "../files/durable-files.ts";
import { openNewInRun, removeFileInRun } from "../files/run-files.ts";
import { closeSync } from "../files/store-calls.ts";
import { storeError } from "../files/store-trouble.ts";
import { isCount } from "./done.ts";
import { checkpointPrefix, fileOf } from "./shard-file-names.ts";

/** The answer for `count` items from `position` on, as it is stored. */
export interface LoggedAnswer {
  readonly position: number;
  readonly count: number;
  /** As plain values; absent if the item failed. */
  readonly result?: unknown;
  readonly failure?: {
    readonly name: string;
    readonly message: string;
    readonly code?: string | undefined;
    readonly stack?: string | undefined;
    readonly tries: number;
  };
}

/**
 * The answers of an attempt's calls that no checkpoint covers yet. Each is written when it arrives: if several calls
 * are open, a kill repeats only those without an answer.
 */
export interface AnswerLog {
  /** Buffers a line from `encodeAnswer`; `flush` writes the buffer. */
  append(line: Buffer): void;
  /** Bytes of the file. */
  readonly bytes: number;
  /** Starts the other file with the lines that are still needed, and removes the current one. */
  restart(lines: readonly Buffer[]): void;
  flush(): void;
  /** Closes the file and leaves it for the next attempt. */
  close(): void;
  /** Closes and removes it: the shard is complete. */
  discard(): void;
}

// No file of a writer has such a name: `checkpointFileName` escapes the percent sign.
const names = [`${checkpointPrefix}%answers.0`, `${checkpointPrefix}%answers.1`] as const;
const digestBytes = 9;

/** The checksum in hexadecimal digits, a space, the answer as JSON. */
export function encodeAnswer(answer: LoggedAnswer): Buffer {
  const json = JSON.stringify(answer);
  return Buffer.from(`${crcText(crc32(json))} ${json}\n`);
}

export function openAnswerLog(attemptDir: string): AnswerLog {
  let turn = 0;
  let open: { readonly fd: number; readonly path: string } | undefined;
  let bytes = 0;
  let lines: Buffer[] = [];
  const file = () => {
    if (open !== undefined) return open;
    const path = fileOf(attemptDir, names[turn % 2]!);
    try {
      open = { fd: openNewInRun(attemptDir, path), path };
    } catch (error) {
      throw storeError(error, path);
    }
    return open;
  };
  const flush = () => {
    if (lines.length === 0) return;
    const all = lines.length === 1 ? lines[0]! : Buffer.concat(lines);
    lines = [];
    const { fd, path } = file();
    writeFully(fd, all, path);
  };
  const close = () => {
    if (open !== undefined) closeSync(open.fd);
    open = undefined;
  };
  return {
    append(line) {
      lines.push(line);
      bytes += line.length;
    },
    get bytes() {
      return bytes;
    },
    restart(needed) {
      flush();
      const before = open?.path;
      close();
      turn++;
      bytes = 0;
      for (const line of needed) this.append(line);
      flush();
      if (before !== undefined) removeFileInRun(attemptDir, before);
    },
    flush,
    close() {
      flush();
      close();
    },
    discard() {
      const path = open?.path;
      close();
      if (path !== undefined) removeFileInRun(attemptDir, path);
    },
  };
}

/** The answers in the folders of earlier attempts, newest first. If an item has two, the newer counts. */
export function readAnswers(attemptDirs: readonly string[]): Map<number, LoggedAnswer> {
  const answers = new Map<number, LoggedAnswer>();
  for (const dir of attemptDirs) {
    for (const name of names) {
      for (const line of readIfPresent(fileOf(dir, name))?.split("\n") ?? []) {
        const answer = parseLine(line);
        if (answer !== undefined && !answers.has(answer.position)) answers.set(answer.position, answer);
      }
    }
  }
  return answers;
}

/** Undefined if the line is incomplete: its worker was killed. */
function parseLine(line: string): LoggedAnswer | undefined {
  const json = line.slice(digestBytes);
  if (json === "" || line.slice(0, digestBytes - 1) !== crcText(crc32(json))) return undefined;
  try {
    const answer = JSON.parse(json) as Partial<LoggedAnswer> | null;
    const isWhole = isCount(answer?.position) && isCount(answer.count) && answer.count > 0 && isFailure(answer.failure);
    return isWhole ? (answer as LoggedAnswer) : undefined;
  } catch {
    return undefined;
  }
}

function isFailure(failure: unknown): boolean {
  if (failure === undefined) return true;
  const { name, message, code, stack, tries } = (failure ?? {}) as Partial<NonNullable<LoggedAnswer["failure"]>>;
  return (
    typeof name === "string" &&
    typeof message === "string" &&
    isCount(tries) &&
    [code, stack].every((text) => text === undefined || typeof text === "string")
  );
}
