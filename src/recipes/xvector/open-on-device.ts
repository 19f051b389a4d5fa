import { existsSync, readdirSync } from "node:fs";

/** A model, and the device that it is on. */
export interface OnDevice<Model> {
  readonly model: Model;
  readonly device: string;
}

/**
 * Opens a model on the device that a config names. Where it names none: on the first GPU that this process may use, and
 * on the CPU if there is none or ONNX Runtime cannot use it, which is said.
 */
export async function openOnDevice<Model>(
  device: string | null | undefined,
  open: (device: string) => Promise<Model>,
  hasGpu: () => boolean = isGpuVisible,
): Promise<OnDevice<Model>> {
  if (device != null) return { device, model: await open(device) };
  if (!hasGpu()) return { device: "cpu", model: await open("cpu") };
  try {
    return { device: "cuda:0", model: await open("cuda:0") };
  } catch (error) {
    // What is wrong with the model itself is the error of this second try.
    const model = await open("cpu");
    const why = (error instanceof Error ? error.message : String(error)).split("\n", 1)[0];
    process.stderr.write(`millrace: there is a GPU, but the model runs on the CPU: ${why} Set device to choose.\n`);
    return { device: "cpu", model };
  }
}

/** Whether CUDA could see a GPU: a mask may hide them all, as schedulers do for jobs that asked for none. */
function isGpuVisible(): boolean {
  const mask = process.env["CUDA_VISIBLE_DEVICES"];
  if (mask !== undefined && /^(?:-1.*|\s*)$/.test(mask)) return false;
  return existsSync("/dev/dxg") || (existsSync("/dev") && readdirSync("/dev").some((name) => /^nvidia\d+$/.test(name)));
}
