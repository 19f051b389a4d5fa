import { createRequire } from "node:module";
import { availableParallelism, freemem, totalmem } from "node:os";
import { join } from "node:path";
import type { Finding } from "./finding.ts";

const gigabyte = 2 ** 30;

/** Node itself, the machine, and what is loaded on demand. */
export async function checkMachine(): Promise<Finding[]> {
  return [checkNode(), checkMemory(), checkPackage("onnxruntime-node", "models in ONNX"), checkTypeScript()];
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

/** Looked for from where the user stands, as their own code would find it. */
function checkPackage(name: string, use: string): Finding {
  try {
    const path = createRequire(join(process.cwd(), "package.json")).resolve(name);
    return { state: "fine", what: name, detail: path };
  } catch {
    return { state: "missing", what: name, detail: "not installed", hint: `npm install ${name}, for ${use}.` };
  }
}

function checkTypeScript(): Finding {
  const isBuiltIn = (process.features as { typescript?: unknown }).typescript;
  if (isBuiltIn !== undefined && isBuiltIn !== false)
    return { state: "fine", what: "TypeScript", detail: "Node.js loads it by itself" };
  return { ...checkPackage("tsx", "providers and runners in TypeScript"), what: "TypeScript (tsx)" };
}
