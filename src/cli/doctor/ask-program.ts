import { spawn } from "node:child_process";

/** What came back from a program that was asked something. */
export type ProgramAnswer =
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "absent" }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "silent" };

const mostKept = 64 * 1024;

/** Asks a program and waits so long and no longer, whatever it and the programs that it starts do. */
export function askProgram(question: readonly [string, ...string[]], patienceMs: number): Promise<ProgramAnswer> {
  const [program, ...args] = question;
  return new Promise((resolve) => {
    // A group of its own, to end it with all it has started.
    const child = spawn(program, args, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const said = { stdout: "", stderr: "" };
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
    }, patienceMs);
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (part: string) => {
        if (said[name].length < mostKept) said[name] += part;
      });
    child.once("error", (error: NodeJS.ErrnoException) =>
      finish(error.code === "ENOENT" ? { kind: "absent" } : { kind: "failed", why: error.message }),
    );
    child.once("close", (code, signal) => {
      if (code === 0) finish({ kind: "answer", text: said.stdout.trim() });
      else finish({ kind: "failed", why: lastLine(said.stderr) ?? `it ended with ${signal ?? `exit code ${code}`}` });
    });
  });
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

function lastLine(text: string): string | undefined {
  return text
    .split("\n")
    .map((line) => line.trim())
    .findLast((line) => line !== "");
}
