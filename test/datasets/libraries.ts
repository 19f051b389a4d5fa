import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../fixtures/datasets/libraries.py", import.meta.url));

interface PythonEnv {
  readonly noPythonEnv: string;
  pythonOfEnv(): string | undefined;
}

const { noPythonEnv, pythonOfEnv } = (await import("../../scripts/python-env.mjs" as string)) as PythonEnv;

/** The Python with the real libraries, or undefined. */
export const python: string | undefined = pythonOfEnv();

/** What a suite's title says where there is none. */
export const skipReason: string = python === undefined ? ` (skipped: ${noPythonEnv})` : "";

/** Lets the real library write or read something; returns what it says about it. */
export function askLibrary<T>(verb: "write" | "read", kind: string, path: string): T {
  const { stdout, stderr, status } = spawnSync(python!, [program, verb, kind, path], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, HF_HUB_OFFLINE: "1", HF_DATASETS_OFFLINE: "1" },
  });
  if (status !== 0) throw new Error(`the library failed: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** A row of ours in the form in which Python prints its own. */
export function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("hex") };
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (ArrayBuffer.isView(value)) return Array.from(value as Float32Array);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
  return value;
}
