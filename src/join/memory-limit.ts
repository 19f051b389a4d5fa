import { MillraceError } from "../shared/errors.ts";

/** Watches the memory of a worker that has its process for itself. */
export interface MemoryLimit {
  /** Whether the worker is to make room for a fresh one. Cheap enough to be asked fifty times a second. */
  isExceeded(): boolean;
  wasExceeded(): boolean;
  /** An env that is above the limit by itself would have every worker replaced for ever. */
  checkEnv(): void;
}

const lookEveryMs = 50;

export function memoryLimit(maxRss: number | undefined, provider: string): MemoryLimit {
  let exceeded = false;
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    isExceeded() {
      const now = performance.now();
      if (exceeded || maxRss === undefined || now - lastMs < lookEveryMs) return exceeded;
      lastMs = now;
      exceeded = process.memoryUsage.rss() > maxRss;
      return exceeded;
    },
    wasExceeded: () => exceeded,
    checkEnv() {
      if (maxRss === undefined) return;
      const rss = process.memoryUsage.rss();
      if (rss <= maxRss) return;
      throw new MillraceError(
        "BAD_OPTION",
        `With the env of ${provider} a worker takes ${megabytes(rss)} MB before its first item; maxRss is ${megabytes(maxRss)} MB.`,
        { hint: "Raise maxRss well above what the env takes, or make the env smaller." },
      );
    },
  };
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
