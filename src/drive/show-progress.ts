import { openStatus, type RunStatus } from "../store/run-status.ts";

const drawEveryMs = 200;
const logEveryMs = 10_000;
// What is over within a second needs no progress.
const quietMs = 1000;

export interface ProgressDisplay {
  stop(): Promise<void>;
}

/** Shows how a run stands: one line that is drawn anew on a terminal, a line now and then elsewhere. */
export function showProgress(
  runDir: string,
  name: string,
  stream: NodeJS.WriteStream = process.stderr,
): ProgressDisplay {
  const isTerminal = stream.isTTY === true;
  let status: Awaited<ReturnType<typeof openStatus>> | undefined;
  let isShown = false;
  const show = async (end: string) => {
    status ??= await openStatus(runDir);
    const line = progressLine(name, await status.read());
    stream.write(isTerminal ? `\r${line}\u001b[K${end}` : `${line}\n`);
    isShown = true;
  };
  let drawing: Promise<void> = Promise.resolve();
  const draw = () => {
    // Showing must never end the run; the next draw tries again.
    drawing = drawing.then(() => show("")).catch(() => {});
  };
  let timer: NodeJS.Timeout = setTimeout(() => {
    draw();
    timer = setInterval(draw, isTerminal ? drawEveryMs : logEveryMs);
    timer.unref();
  }, quietMs);
  timer.unref();
  return {
    async stop() {
      clearTimeout(timer);
      await drawing;
      if (isShown) await show("\n").catch(() => {});
    },
  };
}

/** A status in one line: items, rate, time left, failures. */
export function progressLine(name: string, { items, itemsPerSecond, etaSeconds }: RunStatus): string {
  const percent = items.total === 0 ? 100 : Math.floor((100 * items.done) / items.total);
  const parts = [`${name}: ${count(items.done)}/${count(items.total)} items (${percent} %)`];
  if (itemsPerSecond > 0) parts.push(`${count(itemsPerSecond)} items/s`);
  if (etaSeconds !== undefined && items.done < items.total) parts.push(`${duration(etaSeconds)} left`);
  if (items.dropped > 0) parts.push(`${count(items.dropped)} dropped`);
  if (items.failed > 0) parts.push(`${count(items.failed)} failed`);
  return parts.join(" | ");
}

function count(value: number): string {
  return value < 10 && !Number.isInteger(value) ? value.toFixed(1) : Math.round(value).toLocaleString("en-US");
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const two = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}
