import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isMillraceError, messageOf } from "../../src/errors/errors.ts";
import type { MadeCase } from "./make-case.ts";
import { cpuMs, openFiles, peakBytes, resetPeak, usedBytes } from "./measure.ts";
import { caseName, type Reader, WrongValue } from "./reader.ts";

/** What is wrong with how a case ended. */
type FindingKind =
  | "another error"
  | "an honest file is refused"
  | "a wrong value"
  | "an honest file is read differently"
  | "too much time"
  | "too much memory"
  | "a file left open"
  | "the process died"
  | "no end";

export interface FoundOutcome {
  readonly kind: FindingKind;
  readonly message: string;
}

/** How a case ended, and what it took. */
export interface Trial {
  readonly outcome: "value" | "refusal" | FoundOutcome;
  readonly cpuMs: number;
  readonly bytes: number;
}

const mebibyte = 2 ** 20;
// CPU time. Most cases take a thousandth of it; small files may become 64 MiB, and that takes seconds.
const maxMs = (size: number): number => 5000 + (3000 * size) / mebibyte;
// What the engine itself takes meanwhile: code that it compiles, pages that it has not released.
const slackBytes = 64 * mebibyte;

/** The memory limit for a case of `size` bytes, for every reader. A growing array exists twice for a moment. */
const maxPeakBytes = (size: number): number => 2 * Math.max(64 * mebibyte, 100 * size) + slackBytes;

interface Measured {
  readonly value: unknown;
  readonly error: unknown;
  readonly cpuMs: number;
  readonly bytes: number;
}

/** Runs cases of one reader and judges each of them. */
export class CaseRunner {
  readonly #reader: Reader;
  readonly #folder: string;
  #peakStart = 0;
  #filesAtStart = 0;

  constructor(reader: Reader, folder: string) {
    this.#reader = reader;
    this.#folder = folder;
  }

  /** What the reader gives for an honest file, or why it is refused. */
  async valueOf(made: MadeCase): Promise<unknown> {
    const { value, error } = await this.#measure(made);
    return error === undefined ? value : messageOf(error);
  }

  /** To be called when everything has been loaded: what is taken from here on is taken by cases. */
  begin(): void {
    this.#peakStart = resetPeak();
    this.#filesAtStart = openFiles();
  }

  async run(made: MadeCase): Promise<Trial> {
    const first = await this.#measure(made);
    const finding =
      this.#judgeEnd(made, first.error) ??
      (await this.#judgeFiles()) ??
      (await this.#judgeTime(made, first.cpuMs)) ??
      (await this.#judgeUsed(made, first.bytes)) ??
      (await this.#judgePeak(made));
    const outcome = finding ?? (first.error === undefined ? "value" : "refusal");
    return { outcome, cpuMs: first.cpuMs, bytes: first.bytes };
  }

  async #measure(made: MadeCase): Promise<Measured> {
    const { bytes, random, isPlain } = made;
    const file = (name = caseName): string => {
      const path = join(this.#folder, name);
      writeFileSync(path, bytes);
      return path;
    };
    let [value, error]: unknown[] = [];
    const [startMs, startBytes] = [cpuMs(), usedBytes()];
    try {
      value = await this.#reader.read({ bytes, random, isPlain, file });
    } catch (caught) {
      error = caught ?? new Error("nothing was thrown");
    }
    return { value, error, cpuMs: cpuMs() - startMs, bytes: Math.max(0, usedBytes() - startBytes) };
  }

  #judgeEnd({ isHonest }: MadeCase, error: unknown): FoundOutcome | undefined {
    if (error === undefined) return undefined;
    const message = messageOf(error);
    if (error instanceof WrongValue) return { kind: "a wrong value", message };
    const { codes = ["BAD_FILE"], named = namesFile } = this.#reader;
    if (!isMillraceError(error) || !codes.includes(error.code)) {
      const stack = error instanceof Error ? (error.stack?.split("\n").slice(1, 6).join("\n") ?? "") : "";
      const code = isMillraceError(error) ? `${error.code} ` : "";
      return { kind: "another error", message: `${(error as Error).name}: ${code}${message}\n${stack}` };
    }
    if (isHonest) return { kind: "an honest file is refused", message };
    return named.test(message) ? undefined : { kind: "another error", message: `without the file's name: ${message}` };
  }

  /** Streams close their files a little later. */
  async #judgeFiles(): Promise<FoundOutcome | undefined> {
    let count = openFiles();
    for (let turn = 0; turn < 100 && count > this.#filesAtStart; turn++) {
      await setTimeout(20);
      count = openFiles();
    }
    const more = count - this.#filesAtStart;
    this.#filesAtStart = Math.max(this.#filesAtStart, count);
    return more > 0 ? { kind: "a file left open", message: `${more} more than before` } : undefined;
  }

  /** Twice, because the engine compiles and collects when it likes. */
  async #judgeTime(made: MadeCase, taken: number): Promise<FoundOutcome | undefined> {
    const most = maxMs(made.bytes.length);
    if (taken <= most) return undefined;
    const again = Math.min(taken, (await this.#measure(made)).cpuMs);
    if (again <= most) return undefined;
    const message = `${Math.round(again)} ms of CPU time for a file of ${made.bytes.length} bytes`;
    return { kind: "too much time", message };
  }

  async #judgeUsed(made: MadeCase, taken: number): Promise<FoundOutcome | undefined> {
    const { memory } = this.#reader;
    if (memory === undefined) return undefined;
    const most = memory.constantBytes + memory.perByte * made.bytes.length;
    // A reader that takes it takes it every time.
    let least = taken;
    for (let left = 8; left > 0 && least > most; left--) least = Math.min(least, (await this.#measure(made)).bytes);
    return least > most ? tooMuch(least, most, made) : undefined;
  }

  /** What was taken meanwhile: it may be gone by the end. A peak of many cases together is no finding. */
  async #judgePeak(made: MadeCase): Promise<FoundOutcome | undefined> {
    const most = maxPeakBytes(made.bytes.length);
    if (peakBytes() - this.#peakStart <= most) return undefined;
    const start = resetPeak();
    await this.#measure(made);
    const taken = peakBytes() - start;
    this.#peakStart = resetPeak();
    return taken > most ? tooMuch(taken, most, made) : undefined;
  }
}

const namesFile = new RegExp(caseName.replace(".", "\\."));

function tooMuch(taken: number, most: number, { bytes }: MadeCase): FoundOutcome {
  const message = `${taken} bytes for a file of ${bytes.length}, which may take ${most}`;
  return { kind: "too much memory", message };
}
