import { MillraceError } from "../../errors/errors.ts";

/** Watches the memory of a worker that has its process to itself. */
export interface MemoryLimit {
  /** Whether the worker must be replaced by a new one. It may be called fifty times a second. */
  isExceeded(): boolean;
  wasExceeded(): boolean;
  /** Throws if the env alone exceeds the limit: workers would be replaced again and again. */
  checkEnv(): void;
}

const checkEveryMs = 50;

export function memoryLimit(maxRss: number | undefined, provider: string): MemoryLimit {
  let exceeded = false;
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    isExceeded() {
      const now = performance.now();
      if (exceeded || maxRss === undefined || now - lastMs < checkEveryMs) return exceeded;
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
