import { execFileSync } from "node:child_process";
import { MillraceError } from "../../errors/errors.ts";
import { devicesOfMask } from "./devices-of-mask.ts";

const variable = "CUDA_VISIBLE_DEVICES";

/**
 * The devices that this process may use, as entries of CUDA_VISIBLE_DEVICES. If the variable is set (by a scheduler,
 * for example), only its devices are used: others belong to other jobs.
 */
export function findGpus(environment: NodeJS.ProcessEnv = process.env): string[] {
  const mask = environment[variable];
  if (mask !== undefined) {
    const behind = devicesOfMask(mask);
    if (behind.length === 0) throw noGpu(`${variable}=${JSON.stringify(mask)} hides all devices`);
    return behind;
  }
  let answer: string;
  try {
    answer = execFileSync("nvidia-smi", ["--query-gpu=index", "--format=csv,noheader"], {
      encoding: "utf8",
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 30_000,
    });
  } catch (cause) {
    throw noGpu("nvidia-smi could not be asked for the devices", cause);
  }
  const devices = answer
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^\d+$/.test(line));
  if (devices.length === 0) throw noGpu("nvidia-smi lists no device");
  return devices;
}

function noGpu(why: string, cause?: unknown): MillraceError {
  return new MillraceError("NO_GPU", `env: local_gpu needs a GPU, but ${why}.`, {
    cause,
    hint: "Use env: process for work on the CPU; otherwise see that the NVIDIA driver is installed and CUDA_VISIBLE_DEVICES names devices.",
  });
}
