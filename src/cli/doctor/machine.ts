import { createRequire } from "node:module";
import { availableParallelism, freemem, totalmem } from "node:os";
import { join } from "node:path";
import { requireTrust } from "../../config/require-trust.ts";
import { messageOf } from "../../errors/errors.ts";
import type { Finding } from "./finding.ts";
import { tryProgram } from "./try-program.ts";

const gigabyte = 2 ** 30;

interface Limits {
  readonly timeoutMs: number;
  /** True if code that other users installed in the project may be loaded. */
  readonly isTrusted: boolean;
}

/** Checks Node.js, the machine, and what is loaded on demand, resolved like code in `project`. */
export async function checkMachine(project: string, limits: Limits): Promise<Finding[]> {
  return [checkNode(), checkMemory(), await checkOnnx(project, limits), checkTypeScript(project)];
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isEnough = major > 20 || (major === 20 && minor >= 19);
  return {
    state: isEnough ? "fine" : "wrong",
    what: "Node.js",
    detail: process.version,
    ...(isEnough ? {} : { hint: "Install Node.js 20.19 or newer." }),
  };
}

function checkMemory(): Finding {
  const [free, total] = [freemem(), totalmem()].map((bytes) => (bytes / gigabyte).toFixed(1));
  return { state: "fine", what: "machine", detail: `${availableParallelism()} cores, ${free} of ${total} GB free` };
}

/** Loaded in a separate process: a build for another platform crashes the process that loads it. */
async function checkOnnx(project: string, { timeoutMs, isTrusted }: Limits): Promise<Finding> {
  const what = "ONNX Runtime";
  const path = resolvePackage("onnxruntime-node", project);
  if (path === undefined) return missing(what, "onnxruntime-node", "models in ONNX");
  try {
    if (!isTrusted) requireTrust([project, path], project);
  } catch (error) {
    const [why, hint] = messageOf(error).split("\n  -> ");
    return { state: "note", what, detail: `${path} exists and was not loaded: ${why}`, hint: hint ?? "Add --trust." };
  }
  const answer = await tryProgram([process.execPath, "-e", "require(process.argv[1])", path], timeoutMs);
  if (answer.kind === "answer") return { state: "fine", what, detail: `${path} loads` };
  return {
    state: "note",
    what,
    detail: `${path} exists but does not load${answer.kind === "failed" ? `: ${answer.why}` : ""}`,
    hint: "Install it again on this machine: npm rebuild onnxruntime-node.",
  };
}

function checkTypeScript(project: string): Finding {
  const isBuiltIn = (process.features as { typescript?: unknown }).typescript;
  if (isBuiltIn !== undefined && isBuiltIn !== false)
    return { state: "fine", what: "TypeScript", detail: "Node.js loads it by itself" };
  const path = resolvePackage("tsx", project);
  if (path === undefined) return missing("TypeScript", "tsx", "providers and runners in TypeScript");
  return { state: "fine", what: "TypeScript", detail: `by tsx: ${path}` };
}

function resolvePackage(name: string, project: string): string | undefined {
  try {
    return createRequire(join(project, "package.json")).resolve(name);
  } catch {
    return undefined;
  }
}

function missing(what: string, name: string, use: string): Finding {
  return { state: "missing", what, detail: `${name} is not installed`, hint: `npm install ${name}, for ${use}.` };
}
