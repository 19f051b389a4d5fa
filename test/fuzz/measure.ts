import { readdirSync, writeFileSync } from "node:fs";
import { getHeapStatistics } from "node:v8";

/** CPU time of this process with all its threads. Unlike the clock it does not run while others use the machine. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What is held of objects, texts and buffers, with what is forgotten and not collected yet. A microsecond. */
export function usedBytes(): number {
  const { used_heap_size: heap, external_memory: buffers } = getHeapStatistics();
  return heap + buffers;
}

/** The largest resident memory since {@link resetPeak}, of threads and WASM too. */
export function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}

/** Collects garbage and begins a new peak; returns where it begins. Only Linux can: elsewhere a peak stays. */
export function resetPeak(): number {
  (globalThis as { gc?: () => void }).gc?.();
  try {
    writeFileSync("/proc/self/clear_refs", "5");
  } catch {
    // Not Linux: the largest peak of the process is compared.
  }
  return peakBytes();
}

/** How many files are open; 0 where the system does not say. */
export function openFiles(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return 0;
  }
}
