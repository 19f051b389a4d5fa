import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { statSync } from "../../run-folder/files/store-calls.ts";
import type { ObservedJobs } from "../../run-folder/jobs/job-queue-status.ts";
import { openStatus } from "../../run-folder/run/run-status.ts";
import type { KnownShard } from "../../run-folder/shard/known-shard.ts";
import { formatMoment } from "../../text/format-moment.ts";
import { progressBlock, terminalOf } from "./progress-block.ts";
import { formatCount, progressLine } from "./progress-line.ts";

const drawEveryMs = 200;
const logEveryMs = 10_000;
// What is over within a second needs no progress.
const quietMs = 1000;

export interface ProgressDisplay {
  stop(): Promise<void>;
}

export interface ProgressOptions {
  readonly stream?: NodeJS.WriteStream;
  /** Milliseconds before anything is shown. */
  readonly afterMs?: number;
  /** What a scheduler said that is not in the folder. */
  readonly seenJobs?: () => ObservedJobs | undefined;
}

/** Shows the progress of a run: a block that is redrawn on a terminal, a line from time to time elsewhere. */
export function showProgress(
  runDir: string,
  name: string,
  { stream = process.stderr, afterMs = quietMs, seenJobs }: ProgressOptions = {},
): ProgressDisplay {
  const isTerminal = terminalOf(stream) !== undefined;
  let status: Awaited<ReturnType<typeof openStatus>> | undefined;
  let linesDrawn = 0;
  let isShown = false;
  const show = async (isLast: boolean) => {
    status ??= await openStatus(runDir);
    const now = await status.read(seenJobs?.());
    const headline = progressLine(name, now);
    isShown = true;
    // Asked for each block: a window changes its size.
    const terminal = terminalOf(stream);
    if (terminal === undefined || others === undefined) {
      stream.write(`${headline}\n`);
      return;
    }
    const lines = isLast ? [headline] : progressBlock(headline, now, terminal);
    const back = linesDrawn > 1 ? `\u001b[${linesDrawn - 1}A` : "";
    // Each line clears what was left of the one before it; the last clears everything below.
    others.pass(`${back}\r${lines.join("\u001b[K\n")}\u001b[K\u001b[J${isLast ? "\n" : ""}`);
    linesDrawn = lines.length;
  };
  const others = isTerminal
    ? watchWrites(stream, () => {
        const erase = linesDrawn === 0 ? "" : `${linesDrawn > 1 ? `\u001b[${linesDrawn - 1}A` : ""}\r\u001b[J`;
        linesDrawn = 0;
        return erase;
      })
    : undefined;
  let drawing: Promise<void> = Promise.resolve();
  const draw = () => {
    // Showing must never end the run; the next draw tries again.
    drawing = drawing.then(() => show(false)).catch(() => {});
  };
  let timer: NodeJS.Timeout = setTimeout(() => {
    draw();
    timer = setInterval(draw, isTerminal ? drawEveryMs : logEveryMs);
    timer.unref();
  }, afterMs);
  timer.unref();
  return {
    async stop() {
      clearTimeout(timer);
      await drawing;
      if (isShown) await show(true).catch(() => {});
      others?.stop();
    },
  };
}

/**
 * Has what others write to the terminal, the workers most of all, stand above the block: the block is erased before it and
 * drawn again below it.
 */
function watchWrites(stream: NodeJS.WriteStream, erase: () => string): { pass(text: string): void; stop(): void } {
  const watched = [process.stdout, process.stderr].filter(({ isTTY }) => isTTY);
  const originals = watched.map((one) => one.write);
  const pass = stream.write.bind(stream);
  let isLineOpen = false;
  for (const [i, one] of watched.entries()) {
    one.write = ((chunk: string | Uint8Array, ...rest: never[]) => {
      pass(erase());
      isLineOpen = chunk.length > 0 && String.fromCharCode(Number(Buffer.from(chunk).at(-1))) !== "\n";
      return originals[i]!.call(one, chunk, ...rest);
    }) as typeof one.write;
  }
  return {
    pass(text) {
      // A line that is not ended yet is ended first: the block would be drawn over it.
      pass(isLineOpen ? `\n${text}` : text);
      isLineOpen = false;
    },
    stop() {
      for (const [i, one] of watched.entries()) one.write = originals[i]!;
    },
  };
}

/** Says that a start had nothing to do, and since when: without it, a finished run and a run that was just made look alike. */
export function printNothingLeft(paths: RunPaths, committed: ReadonlyMap<number, KnownShard>): void {
  const sum = { items: 0, failed: 0 };
  for (const { counts } of committed.values()) {
    sum.items += counts.items;
    sum.failed += counts.failed;
  }
  const when = formatMoment(statSync(paths.merged).mtimeMs);
  const failed = sum.failed === 0 ? "" : `; ${formatCount(sum.failed)} of them failed, millrace retry runs those again`;
  process.stderr.write(
    `millrace: nothing was left to do: all ${formatCount(sum.items)} items were done on ${when}${failed}\n`,
  );
}
