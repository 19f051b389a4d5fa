import { spawn } from "node:child_process";
import type { Call } from "./scheduler.ts";

/** What came of a call. `absent`: there is no such program here. `silent`: it did not answer in time and was ended. */
export type CallAnswer =
  | { readonly kind: "answer"; readonly text: string }
  | {
      readonly kind: "refusal";
      readonly why: string;
      readonly code: number | undefined;
      /** What it printed nevertheless: some tell what they know of the rest. */
      readonly text: string;
    }
  | { readonly kind: "absent"; readonly why: string }
  | { readonly kind: "silent"; readonly why: string };

export interface CallLimits {
  readonly timeoutMs: number;
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** Nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

// Ten thousand tasks of a long-named array fit in; what is more is a program gone mad.
const mostBytes = 64 << 20;
const killGraceMs = 2000;

/** Calls a foreign program without a shell, and gives up on one that hangs. It never throws. */
export function callProgram(
  { program, args, input, cwd }: Call,
  { timeoutMs, environment = process.env, signal: unwanted }: CallLimits,
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
    // Half an answer would be taken for a whole one.
    const keep = (chunks: Buffer[]) => (chunk: Buffer) => {
      size += chunk.length;
      if (size <= mostBytes) chunks.push(chunk);
      else child.kill("SIGKILL");
    };
    child.stdout.on("data", keep(out));
    child.stderr.on("data", keep(err));
    child.stdin.on("error", () => {});
    child.stdin.end(input ?? "");
    const end = (answer: CallAnswer) => {
      unwanted?.removeEventListener("abort", drop);
      clearTimeout(timer);
      clearTimeout(lastResort);
      resolve(answer);
    };
    const drop = () => {
      child.kill("SIGKILL");
      // What it started itself may hold its output open, and with that this process.
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      end({ kind: "silent", why: `${program} was not waited for` });
    };
    unwanted?.addEventListener("abort", drop);
    let lastResort: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => {
      child.kill("SIGTERM");
      // What it started itself may hold its output open: it is not waited for.
      lastResort = setTimeout(() => {
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
      if (lastResort !== undefined)
        end({ kind: "silent", why: `${program} did not answer within ${timeoutMs / 1000} s` });
      else if (size > mostBytes) end({ kind: "silent", why: `${program} does not stop talking` });
      else if (code === 0) end({ kind: "answer", text });
      else {
        const words =
          `${Buffer.concat(err)}`.trim() || text.trim() || `it said nothing and ended with ${signal ?? code}`;
        end({ kind: "refusal", why: words, code: code ?? undefined, text });
      }
    });
  });
}
