import { existsSync } from "node:fs";
import { MillraceError, messageOf } from "../shared/errors.ts";
import type { ModelSession, ModelTensor } from "../shared/model-session.ts";

export interface LoadOnnxOptions {
  /** `cpu`, or `cuda:N` for a GPU. Default: `cpu`. */
  readonly device?: string | undefined;
  /** Threads of one run. Default: 1, because a worker runs on every core. */
  readonly threads?: number | undefined;
}

/** A model of a file, loaded into ONNX Runtime. */
export interface OnnxModel extends ModelSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  /** Gives its memory back; it cannot be run afterwards. */
  release(): Promise<void>;
}

/** Loads a model. The only place that touches onnxruntime-node, which users install themselves: it is 290 MB. */
export async function loadOnnx(path: string, options: LoadOnnxOptions = {}): Promise<OnnxModel> {
  const executionProviders = [checkDevice(options.device ?? "cpu")];
  if (!existsSync(path))
    throw new MillraceError("BAD_MODEL", `There is no model file ${path}.`, {
      hint: "Check the path of the ONNX file.",
    });
  const { InferenceSession, Tensor } = await importRuntime();
  const session = await InferenceSession.create(path, {
    executionProviders,
    intraOpNumThreads: options.threads ?? 1,
    interOpNumThreads: 1,
    // Warnings about graphs are for those who make models.
    logSeverityLevel: 3,
  }).catch((error: unknown) => {
    throw new MillraceError("BAD_MODEL", `ONNX Runtime cannot load ${path}: ${messageOf(error)}`, {
      cause: error,
      hint: "Is it a whole ONNX file, and is the device there?",
    });
  });
  return {
    inputNames: session.inputNames,
    outputNames: session.outputNames,
    release: () => session.release(),
    async run(inputs) {
      const feeds = Object.fromEntries(
        Object.entries(inputs).map(([name, { type, data, dims }]) => [name, new Tensor(type, data as never, dims)]),
      );
      return (await session.run(feeds)) as unknown as Record<string, ModelTensor>;
    },
  };
}

async function importRuntime(): Promise<typeof import("onnxruntime-node")> {
  try {
    return await import("onnxruntime-node");
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    const why = isMissing ? "which is not installed" : `which cannot be loaded: ${messageOf(error)}`;
    throw new MillraceError("MISSING_PEER", `Models need onnxruntime-node, ${why}.`, {
      cause: error,
      hint: "Run: npm install onnxruntime-node --onnxruntime-node-install=skip (that leaves out the download for CUDA).",
    });
  }
}

function checkDevice(device: string): "cpu" | { readonly name: "cuda"; readonly deviceId: number } {
  const [, number] = /^cuda(?::(\d+))?$/.exec(device) ?? [];
  if (device === "cpu") return "cpu";
  if (device.startsWith("cuda") && (number !== undefined || device === "cuda"))
    return { name: "cuda", deviceId: Number(number ?? 0) };
  throw new MillraceError("BAD_OPTION", `There is no device ${JSON.stringify(device)}.`, {
    hint: "Give cpu, cuda, or cuda:N with the number of a GPU.",
  });
}
