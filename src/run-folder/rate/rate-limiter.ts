import type { RunPaths } from "../files/run-paths.ts";
export interface RateLimiter {
  take(signal?: AbortSignal): Promise<void> | undefined;
  slowDown(error: unknown): void;
  readonly waiting: number;
  close(): void;
}
export function openRateLimiter(_: {
  paths: RunPaths;
  limit: { perSecond: number; burst?: number | undefined; adaptive?: boolean | undefined };
  worker: string;
}): RateLimiter {
  return { take: () => undefined, slowDown() {}, waiting: 0, close() {} };
}
