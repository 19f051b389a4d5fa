import { spawn } from "node:child_process";

/** The result of running a program. */
export type ProgramAnswer =
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "absent" }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "silent" };

const maxKept = 64 * 1024;

/** Runs a program with a time limit that also covers the programs it starts. */
export function tryProgram(question: readonly [string, ...string[]], timeoutMs: number): Promise<ProgramAnswer> {
  const [program, ...args] = question;
  return new Promise((resolve) => {
    // Its own process group, so that everything it started can be killed.
    const child = spawn(program, args, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const output = { stdout: "", stderr: "" };
    const finish = (answer: ProgramAnswer) => {
      clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      child.unref();
      resolve(answer);
    };
    const timer = setTimeout(() => {
      if (child.pid !== undefined) endGroup(child.pid);
      finish({ kind: "silent" });
    }, timeoutMs);
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (part: string) => {
        if (output[name].length < maxKept) output[name] += part;
      });
    child.once("error", (error: NodeJS.ErrnoException) =>
      finish(error.code === "ENOENT" ? { kind: "absent" } : { kind: "failed", why: error.message }),
    );
    child.once("close", (code, signal) => {
      if (code === 0) finish({ kind: "answer", text: output.stdout.trim() });
      else finish({ kind: "failed", why: lastLine(output.stderr) ?? `it ended with ${signal ?? `exit code ${code}`}` });
    });
  });
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}

function lastLine(text: string): string | undefined {
  return text
    .split("\n")
    .map((line) => line.trim())
    .findLast((line) => line !== "");
}
