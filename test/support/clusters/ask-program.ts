import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Runs a client program of a cluster and returns what it printed; it fails with what the program complained of. */
export async function askProgram(
  environment: NodeJS.ProcessEnv,
  program: string,
  args: readonly string[],
): Promise<string> {
  const { stdout } = await execute(program, [...args], {
    env: environment,
    timeout: 200_000,
    killSignal: "SIGKILL",
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}
