import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What a command, or a visit to the dashboard, left behind. */
export interface CommandOutcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly grownBytes: number;
  readonly answers: readonly { method: string; path: string; status: number; text: string }[];
  /** The process did not survive it, or it did not come back. */
  readonly problem?: string;
}

export interface CommandOrder {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly routes?: readonly (readonly [method: string, path: string])[] | undefined;
}

/** Carries commands out in a process beside this one, which is replaced when a command does not come back. */
export class CommandRunner {
  private child: ChildProcess | undefined;
  private readonly variables: NodeJS.ProcessEnv;

  constructor(variables: NodeJS.ProcessEnv) {
    this.variables = variables;
  }

  run(order: CommandOrder, limitMs: number): Promise<CommandOutcome> {
    this.child ??= this.start();
    const { child } = this;
    return new Promise((resolve) => {
      const nothing = { status: -1, stdout: "", stderr: "", grownBytes: 0, answers: [] };
      const timer = setTimeout(() => end({ ...nothing, problem: `did not come back within ${limitMs} ms` }), limitMs);
      const end = (outcome: CommandOutcome) => {
        clearTimeout(timer);
        child.removeAllListeners("message").removeAllListeners("exit");
        if (outcome.problem !== undefined) this.close();
        resolve(outcome);
      };
      child.once("message", (outcome) => end(outcome as CommandOutcome));
      child.once("exit", (code, signal) => end({ ...nothing, problem: `ended the process (${code ?? signal})` }));
      child.send(order);
    });
  }

  close(): void {
    this.child?.kill("SIGKILL");
    this.child = undefined;
  }

  private start(): ChildProcess {
    return fork(fileURLToPath(new URL("../../fixtures/children/runs-commands.mjs", import.meta.url)), {
      env: this.variables,
      execArgv: ["--max-old-space-size=700"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
  }
}
