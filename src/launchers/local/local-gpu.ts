import type { ParallelConfig } from "../../config/parallel.ts";
import { MillraceError } from "../../errors/errors.ts";
import { checkCountOptions } from "../check-options.ts";
import type { PooledLauncher } from "../launcher.ts";
import { findGpus } from "./find-gpus.ts";
import { processOptions } from "./process.ts";
import { openProcessPool } from "./process-pool.ts";
import { threadVariables } from "./thread-variables.ts";

const gpuOptions = ["workers_per_gpu", ...processOptions] as const;

/** `env: local_gpu`: child processes that see one device each. */
export const localGpuLauncher: PooledLauncher = {
  kind: "pooled",
  env: "local_gpu",
  check: (parallel) => void devicesFor(parallel),
  openPool({ runDir, parallel, early }) {
    const { threads_per_worker: threads, max_heap_mb: maxHeapMb } = checkCountOptions(parallel, gpuOptions);
    const devices = devicesFor(parallel);
    const shared = threadVariables(parallel.nWorkers, threads);
    const variables = (slot: number) => ({ ...shared, CUDA_VISIBLE_DEVICES: devices[slot % devices.length]! });
    return openProcessPool({ runDir, maxHeapMb, early, workers: parallel.nWorkers, variables });
  },
};

/** The devices to use. Throws if there are more workers than the devices may have. */
function devicesFor(parallel: ParallelConfig): string[] {
  const { workers_per_gpu: perGpu = 1 } = checkCountOptions(parallel, gpuOptions);
  const devices = findGpus();
  if (parallel.nWorkers <= devices.length * perGpu) return devices;
  throw new MillraceError(
    "NO_GPU",
    `parallel.n_workers is ${parallel.nWorkers}, but there ${devices.length === 1 ? "is 1 device" : `are ${devices.length} devices`} (${devices.join(", ")}) with ${perGpu} ${perGpu === 1 ? "worker" : "workers"} each.`,
    { hint: `Set n_workers to ${devices.length * perGpu} at most, or options.workers_per_gpu to share devices.` },
  );
}
