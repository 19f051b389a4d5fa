import { PipeEnd } from "./emitter.ts";
import { Inbox } from "./inbox.ts";
import { nodeBuiltins } from "./node-builtins.ts";
import type { Program } from "./program.ts";
import { ProgramEnded } from "./program-ended.ts";

/** The global `process` of a program, the part that the machine uses too. */
export interface ProgramProcess {
  readonly pid: number;
  readonly execPath: string;
  readonly env: Record<string, string | undefined>;
  readonly exitCode: number | undefined;
  readonly stdin: PipeEnd;
  readonly stdout: PipeEnd;
  readonly stderr: PipeEnd;
  listenerCount(event: string): number;
  emit(event: string, ...values: readonly unknown[]): boolean;
  /** Delivers a message of its parent; one before the first listener is kept. */
  deliver(message: unknown): void;
}

/** The global `process` of a program on the machine. */
export function processOf(program: Program): ProgramProcess {
  const { machine, start } = program;
  const emitter = new Inbox((act) => program.after(0, act));
  const leave = (code?: number): never => {
    program.finish({ code: code ?? own.exitCode ?? 0 });
    throw new ProgramEnded();
  };
  const stream = (name: "stdout" | "stderr") => {
    const pipe = new PipeEnd();
    pipe.onWrite = (chunk) => machine.onOutput(program, name, textOf(chunk));
    return Object.assign(pipe, { isTTY: false });
  };
  const own = {
    pid: program.start.owner?.pid ?? program.pid,
    get ppid() {
      return start.parent?.isAlive === true ? start.parent.pid : 1;
    },
    argv: ["/usr/bin/node", `/usr/lib/node_modules/millrace/dist/${start.entry}.js`, ...(start.args ?? [])],
    execArgv: [] as string[],
    execPath: "/usr/bin/node",
    env: { ...start.env } as Record<string, string | undefined>,
    platform: "linux",
    version: "v22.18.0",
    versions: { node: "22.18.0" },
    features: { typescript: "strip" },
    exitCode: undefined as number | undefined,
    stdout: stream("stdout"),
    stderr: stream("stderr"),
    stdin: new PipeEnd(),
    connected: start.parent !== undefined,
    memoryUsage: Object.assign(() => ({ rss: 1 << 26 }), { rss: () => 1 << 26 }),
    cwd: () => program.cwd,
    chdir: (path: string) => program.changeFolder(path),
    uptime: () => (machine.clock.nowMs - program.beganMs) / 1000,
    exit: leave,
    kill: (pid: number, signal: string | number) => machine.signal(pid, signal, program),
    send: (message: unknown) => program.tell(message),
    getBuiltinModule: (name: string) => nodeBuiltins(program)[name],
    on(event: string, listener: (...values: never[]) => unknown) {
      emitter.on(event, listener);
      return own;
    },
    off(event: string, listener: (...values: never[]) => unknown) {
      emitter.off(event, listener);
      return own;
    },
    listenerCount: (event: string) => emitter.listenerCount(event),
    emit: (event: string, ...values: readonly unknown[]) => emitter.emit(event, ...values),
    deliver: (message: unknown) => emitter.deliver(message),
  };
  return own;
}

function textOf(chunk: Uint8Array | string): string {
  return typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
}
