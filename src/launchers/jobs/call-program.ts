import { spawn } from "node:child_process";
import type { Call } from "./scheduler.ts";

/** The result of a call. `absent`: the program does not exist here. `silent`: it did not end in time and was killed. */
export type CallAnswer =
  | { readonly kind: "answer"; readonly text: string }
  | {
      readonly kind: "refusal";
      readonly why: string;
      readonly code: number | undefined;
      /** Its output: some programs print the valid part of the answer even if they fail. */
      readonly text: string;
    }
  | { readonly kind: "absent"; readonly why: string }
  | { readonly kind: "silent"; readonly why: string };

export interface CallLimits {
  readonly timeoutMs: number;
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** Aborts the call: its answer is not needed any more. */
  readonly signal?: AbortSignal | undefined;
}

// Enough for an array of ten thousand tasks with a long name. A program that prints more is broken.
const maxBytes = 64 << 20;
const killGraceMs = 2000;

/** Calls an external program without a shell, and kills it if it hangs. Never throws. */
export function callProgram(
  { program, args, input, cwd }: Call,
  { timeoutMs, environment = process.env, signal: abortSignal }: CallLimits,
): Promise<CallAnswer> {
  return new Promise((resolve) => {
    const child = spawn(program, [...args], {
      env: environment,
      ...(cwd === undefined ? {} : { cwd }),
      stdio: ["pipe", "pipe", "pipe"],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let size = 0;
    // A truncated answer must not count as a complete one.
    const keep = (chunks: Buffer[]) => (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else child.kill("SIGKILL");
    };
    child.stdout.on("data", keep(out));
    child.stderr.on("data", keep(err));
    child.stdin.on("error", () => {});
    child.stdin.end(input ?? "");
    const end = (answer: CallAnswer) => {
      abortSignal?.removeEventListener("abort", abort);
      clearTimeout(timer);
      clearTimeout(killTimer);
      resolve(answer);
    };
    const abort = () => {
      child.kill("SIGKILL");
      // A child of the program may hold its output open, which would keep this process alive.
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      end({ kind: "silent", why: `the call of ${program} was aborted` });
    };
    abortSignal?.addEventListener("abort", abort);
    let killTimer: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => {
      child.kill("SIGTERM");
      // A child of the program may hold its output open: it is not awaited.
      killTimer = setTimeout(() => {
        child.kill("SIGKILL");
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
        end({ kind: "silent", why: `${program} did not answer within ${timeoutMs / 1000} s` });
      }, killGraceMs);
    }, timeoutMs);
    child.on("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "ENOENT" ? `${program} is not on the PATH of this host` : error.message;
      end({ kind: "absent", why });
    });
    child.on("close", (code, signal) => {
      const text = Buffer.concat(out).toString();
      if (killTimer !== undefined)
        end({ kind: "silent", why: `${program} did not answer within ${timeoutMs / 1000} s` });
      else if (size > maxBytes) end({ kind: "silent", why: `${program} printed more than ${maxBytes >> 20} MB` });
      else if (code === 0) end({ kind: "answer", text });
      else {
        const words =
          `${Buffer.concat(err)}`.trim() || text.trim() || `it printed nothing and ended with ${signal ?? code}`;
        end({ kind: "refusal", why: words, code: code ?? undefined, text });
      }
    });
  });
}
