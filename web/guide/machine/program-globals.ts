import { bufferGlobal } from "./byte-buffer.ts";
import type { ScheduledEvent } from "./clock.ts";
import type { Program } from "./program.ts";

/** The globals of Node.js that the library uses, for one program. */
export function globalsOf(program: Program): Record<string, unknown> {
  const { machine } = program;
  /** A timer of Node.js: it keeps its program alive until it fires, is cancelled or is unref'd. */
  const startTimer = (act: () => void, { ms, isRepeated = false }: { ms: number; isRepeated?: boolean }) => {
    let current: ScheduledEvent;
    const plan = () => {
      current = program.after(ms, () => {
        if (isRepeated) plan();
        else program.timers.delete(timer);
        act();
      });
    };
    const timer = {
      ref: () => timer,
      unref() {
        program.timers.delete(timer);
        return timer;
      },
      cancel() {
        program.timers.delete(timer);
        current.cancel();
      },
    };
    program.timers.add(timer);
    plan();
    return timer;
  };
  const clear = (timer: ReturnType<typeof startTimer> | undefined) => timer?.cancel();
  return {
    process: program.process,
    Buffer: bufferGlobal,
    setTimeout: (act: () => void, ms = 0) => startTimer(act, { ms: Math.max(1, ms) }),
    clearTimeout: clear,
    setInterval: (act: () => void, ms: number) => startTimer(act, { ms, isRepeated: true }),
    clearInterval: clear,
    setImmediate: (act: () => void) => startTimer(act, { ms: 0 }),
    clearImmediate: clear,
    performance: { now: () => machine.clock.nowMs - program.beganMs },
    Date: machine.date,
    Math: machine.math,
    // Threads of the machine share one memory anyway; a page has the real one only with special headers.
    SharedArrayBuffer: ArrayBuffer,
    console: { log: (text: string) => program.process.stdout.write(`${text}\n`) },
    globalThis: { guide: machine.guideOf(program) },
  };
}
