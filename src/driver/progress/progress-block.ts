import type { RunStatus, WorkerStatus } from "../../run-folder/run/run-status.ts";
import { formatCount } from "./progress-line.ts";

const barWidth = 40;
const maxWorkers = 8;

/** How a block may be drawn on a terminal. */
export interface Terminal {
  readonly columns: number;
  readonly hasColour: boolean;
}

/** The terminal behind a stream; undefined if a block cannot be drawn again: a file, or a terminal that obeys nothing. */
export function terminalOf(stream: NodeJS.WriteStream): Terminal | undefined {
  if (stream.isTTY !== true || process.env["TERM"] === "dumb") return undefined;
  return { columns: stream.columns || 80, hasColour: (process.env["NO_COLOR"] ?? "") === "" };
}

/** A status as lines for a terminal: the headline, a bar, and a line for each worker. */
export function progressBlock(headline: string, status: RunStatus, { columns, hasColour }: Terminal): string[] {
  const lines = [headline, bar(status, Math.min(barWidth, columns - 2), hasColour)];
  for (const worker of status.workers.slice(0, maxWorkers)) lines.push(workerLine(worker, status));
  const more = status.workers.length - maxWorkers;
  if (more > 0) lines.push(`  … and ${more} more`);
  // A line that wraps would be two when it is drawn over.
  return lines.map((line, i) => (i === 1 ? line : line.slice(0, columns - 1)));
}

function bar({ items }: RunStatus, width: number, hasColour: boolean): string {
  const share = items.total === 0 ? 1 : items.done / items.total;
  const full = Math.floor(share * width);
  const [done, left] = ["━".repeat(full), "─".repeat(width - full)];
  return hasColour ? `\u001b[32m${done}\u001b[0m\u001b[2m${left}\u001b[0m` : done + left;
}

function workerLine(
  { worker, host, pid, shard, position, itemsPerSecond }: WorkerStatus,
  { shards }: RunStatus,
): string {
  const where =
    shard === undefined ? "between shards" : `split.${shard} of ${shards.total}, item ${formatCount(position)}`;
  return `  ${worker} (${host}:${pid})  ${where}${itemsPerSecond > 0 ? `, ${formatCount(itemsPerSecond)} items/s` : ""}`;
}
