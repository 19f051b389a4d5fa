import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { InferenceSession } from "onnxruntime-node";
import { errnoOf, MillraceError, messageOf } from "../errors/errors.ts";
import { fromOnnx, toOnnx } from "./convert-tensor.ts";
import type { ModelSession } from "./model-session.ts";
import { refuseLoadingInForward } from "./refuse-loading-in-forward.ts";

/** The device of a model, and its number of threads. */
export interface LoadOnnxOptions {
  /** `cpu`, or `cuda:N` for a GPU. Default: `cpu`. */
  readonly device?: string | undefined;
  /** Threads of one run. Default: 1, because a worker runs on every core. */
  readonly threads?: number | undefined;
  /** The name of a model in messages, if it comes as bytes. Default: `the model`. */
  readonly name?: string | undefined;
}

/** An input or output of a model. */
export interface OnnxValue {
  readonly name: string;
  /** `float32`, `int64`, …; undefined if the runtime does not say. */
  readonly dtype: string | undefined;
  /** Fixed dimensions are numbers, the others the names that the model gives them; empty if it says nothing. */
  readonly shape: readonly (number | string)[];
}

/** A model of a file, loaded into ONNX Runtime. */
export interface OnnxModel extends ModelSession, AsyncDisposable {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  /** Frees its memory; it cannot be run afterwards. */
  release(): Promise<void>;
}

/**
 * Loads a model from a path or from its bytes. The only code that uses onnxruntime-node, which users install
 * themselves: it is 290 MB.
 */
export async function loadOnnx(from: string | Uint8Array, options: LoadOnnxOptions = {}): Promise<OnnxModel> {
  const executionProviders = [checkDevice(options.device ?? "cpu")];
  const name = typeof from === "string" ? from : (options.name ?? "the model");
  refuseLoadingInForward(name, new Error().stack ?? "");
  refuseOther(name, typeof from === "string" ? readBeginning(from) : from);
  const { InferenceSession, Tensor } = await importRuntime();
  const settings = {
    executionProviders,
    intraOpNumThreads: options.threads ?? 1,
    interOpNumThreads: 1,
    // Warnings about graphs are for authors of models.
    logSeverityLevel: 3,
  } as const;
  // By path if there is one: weights may be in files beside it.
  const loading =
    typeof from === "string" ? InferenceSession.create(from, settings) : InferenceSession.create(from, settings);
  const session = await loading.catch((error: unknown) => {
    throw new MillraceError("BAD_MODEL", `ONNX Runtime cannot load ${name}: ${messageOf(error)}`, {
      cause: error,
      hint:
        options.device === undefined || options.device === "cpu"
          ? "Is it a whole ONNX file, of a version that this ONNX Runtime knows?"
          : "A GPU needs the CUDA libraries that onnxruntime-node fetches when it is installed (without skip), or device: cpu.",
    });
  });
  let released: Promise<void> | undefined;
  const release = (): Promise<void> => {
    released ??= session.release();
    return released;
  };
  return {
    inputNames: session.inputNames,
    outputNames: session.outputNames,
    inputs: describeValues(session.inputNames, session.inputMetadata),
    outputs: describeValues(session.outputNames, session.outputMetadata),
    release,
    [Symbol.asyncDispose]: release,
    run: async (inputs) => fromOnnx(await session.run(toOnnx(inputs, Tensor)), name),
  };
}

function readBeginning(path: string): Uint8Array {
  try {
    const fd = openSync(path, "r");
    try {
      // A folder can be opened but not read.
      const bytes = Buffer.alloc(Math.min(fstatSync(fd).size, 64));
      return bytes.subarray(0, readSync(fd, bytes));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const isMissing = errnoOf(error) === "ENOENT";
    const what = isMissing ? `There is no model file ${path}.` : `${path} cannot be read: ${messageOf(error)}.`;
    throw new MillraceError("BAD_MODEL", what, { cause: error, hint: "Check the path of the ONNX file." });
  }
}

/** Names a file that is not a model before the runtime reports protobuf errors. */
function refuseOther(name: string, bytes: Uint8Array): void {
  const beginning = Buffer.from(bytes.subarray(0, 40)).toString("latin1");
  const [what, hint] =
    bytes.length === 0
      ? ["is empty", "It was probably not copied completely: fetch it again."]
      : beginning.startsWith("version https://git-lfs")
        ? ["is a git-lfs pointer, not the model itself", "Run: git lfs pull"]
        : /^\s*<(?:!doctype|html)/i.test(beginning)
          ? ["is a web page, not a model", "The download failed: fetch the file itself."]
          : [];
  if (what !== undefined)
    throw new MillraceError("BAD_MODEL", `ONNX Runtime cannot load ${name}: it ${what}.`, { hint: hint! });
}

function describeValues(
  names: readonly string[],
  metadata: readonly InferenceSession.ValueMetadata[] | undefined,
): OnnxValue[] {
  return names.map((name, at) => {
    // Versions before 1.21 report only the names.
    const value = metadata?.[at];
    if (value === undefined || !value.isTensor) return { name, dtype: undefined, shape: [] };
    return { name, dtype: value.type, shape: [...value.shape] };
  });
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
