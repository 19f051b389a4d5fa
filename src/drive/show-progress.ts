import { openStatus } from "../store/run-status.ts";
import { progressBlock, terminalOf } from "./progress-block.ts";
import { progressLine } from "./progress-line.ts";

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
}

/** Shows how a run stands: a block that is drawn anew on a terminal, a line now and then elsewhere. */
export function showProgress(
  runDir: string,
  name: string,
  { stream = process.stderr, afterMs = quietMs }: ProgressOptions = {},
): ProgressDisplay {
  const isTerminal = terminalOf(stream) !== undefined;
  let status: Awaited<ReturnType<typeof openStatus>> | undefined;
  let linesDrawn = 0;
  let isShown = false;
  const show = async (isLast: boolean) => {
    status ??= await openStatus(runDir);
    const now = await status.read();
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
 * drawn anew below it.
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
