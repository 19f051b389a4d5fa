import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const oracle = fileURLToPath(new URL("../../fixtures/formats/oracle.py", import.meta.url));

/** A Python that has the module, or undefined. Debian installs it for its own, which another on the PATH may hide. */
export function pythonWith(module: string): string | undefined {
  return ["/usr/bin/python3", "python3"].find(
    (program) => spawnSync(program, ["-c", `import ${module}`], { stdio: "ignore" }).status === 0,
  );
}

/** What NumPy or PyTorch says about files, in one process: starting one costs more than reading a thousand files. */
export function askPython(python: string, questions: readonly object[]): unknown[] {
  const input = questions.map((question) => JSON.stringify(question)).join("\n");
  const { stdout, stderr } = spawnSync(python, [oracle], { input, encoding: "utf8", maxBuffer: 1 << 30 });
  const answers = stdout.split("\n").filter((line) => line !== "");
  if (answers.length !== questions.length) throw new Error(`the oracle ended early: ${stderr}`);
  return answers.map((line) => JSON.parse(line) as unknown);
}
