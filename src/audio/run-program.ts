import { spawn } from "node:child_process";
import { errnoOf } from "../errors/errors.ts";

/** An external program that reads one file, and its limits. */
export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
  /** A program that takes longer is killed: some files make a decoder search without end. */
  readonly timeoutMs: number;
}

/** Why a program gave no usable output. */
export class ProgramFailure extends Error {
  readonly kind: "missing" | "failed" | "timeout";

  constructor(kind: ProgramFailure["kind"], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

const maxComplaint = 2000;

/**
 * Runs a program and passes on what it prints, piece by piece, so that nothing is buffered. It is killed as soon as
 * `take` returns false or throws.
 */
export async function runProgram(
  { program, args, timeoutMs }: ProgramCall,
  take: (piece: Buffer) => boolean,
): Promise<void> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  let complaint = "";
  let isLate = false;
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(0, maxComplaint);
  });
  const closed = new Promise<number | string>((resolve, reject) => {
    child.on("error", (error) => {
      const isMissing = errnoOf(error) === "ENOENT";
      reject(new ProgramFailure("missing", isMissing ? "is not installed" : "did not start", error));
    });
    child.on("close", (code, signal) => resolve(code ?? signal ?? "an unknown end"));
  });
  // The first error counts: the loop below may end with another one before this is awaited.
  closed.catch(() => {});
  const timer = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, timeoutMs);
  try {
    for await (const piece of child.stdout) if (!take(piece as Buffer)) return;
    const end = await closed;
    if (isLate) throw new ProgramFailure("timeout", `did not end within ${Math.round(timeoutMs / 1000)} s`);
    if (end !== 0) throw new ProgramFailure("failed", complaint.trim().split("\n").at(-1) || `exit code ${end}`);
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}
