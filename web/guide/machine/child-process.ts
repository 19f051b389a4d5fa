import { bufferGlobal } from "./byte-buffer.ts";
import { DiskError } from "./disk.ts";
import { Emitter, PipeEnd } from "./emitter.ts";
import { basename } from "./posix-path.ts";
import type { EntryName, Program, ProgramEnd } from "./program.ts";
import { runQueueCommand } from "./queue-program.ts";

const messageMs = 1;
// An external program responds a little later.
const answerMs = 30;
const guardSleepMs = 4000;

interface SpawnOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A started program, as its parent sees it. */
class Child extends Emitter {
  pid: number | undefined;
  connected = true;
  exitCode: number | null = null;
  signalCode: string | null = null;
  readonly stdin = new PipeEnd();
  readonly stdout = new PipeEnd();
  readonly stderr = new PipeEnd();
  readonly #parent: Program;
  kill: (signal?: string) => boolean = () => true;
  send: (message: unknown, done?: () => void) => boolean = () => false;

  constructor(parent: Program) {
    super();
    this.#parent = parent;
  }

  unref(): void {}

  /** An event reaches the parent a moment later. */
  happen(act: () => void, ms: number = messageMs): void {
    this.#parent.after(ms, act);
  }

  hasEnded({ code, signal }: ProgramEnd): void {
    this.happen(() => {
      this.connected = false;
      this.exitCode = signal === undefined ? (code ?? 0) : null;
      this.signalCode = signal ?? null;
      for (const stream of [this.stdout, this.stderr]) stream.emit("close");
      this.emit("exit", this.exitCode, this.signalCode);
      this.emit("close", this.exitCode, this.signalCode);
    });
  }
}

/** `node:child_process` of a program on the machine: the library's own programs, and the few external ones it calls. */
export function nodeChildProcess(program: Program): object {
  const { machine } = program;

  function startEntry(
    path: string,
    args: readonly string[],
    options: SpawnOptions & { readonly host?: string },
  ): Child {
    const child = new Child(program);
    const started = machine.start({
      entry: basename(path).replace(/\.c?js$/, "") as EntryName,
      args,
      host: options.host ?? program.start.host,
      cwd: program.cwd,
      env: options.env ?? program.process.env,
      parent: program,
    });
    child.pid = started.pid;
    started.tell = (message) => child.happen(() => child.emit("message", clone(message)));
    started.onEnd = (end) => child.hasEnded(end);
    for (const name of ["stdout", "stderr"] as const) {
      started.process[name].onWrite = (chunk) => {
        const text = typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
        child.happen(() => child[name].emit("data", bufferGlobal.from(text)));
      };
    }
    child.stdin.onEnd = () => void started.after(messageMs, () => started.process.stdin.emit("end"));
    program.exitHandlers.push(() => {
      child.stdin.onEnd();
      // A program without a parent and without timers has ended.
      started.after(messageMs, () => {
        if (started.timers.size === 0 && !started.threads.some((thread) => thread.isAlive))
          started.finish({ code: 13 });
      });
    });
    child.kill = (signal = "SIGTERM") => {
      program.mustLive();
      if (started.isAlive) machine.signal(started.pid, signal);
      return true;
    };
    child.send = (message, done) => {
      program.mustLive();
      started.after(messageMs, () => started.process.deliver(clone(message)));
      done?.();
      return true;
    };
    return child;
  }

  function spawn(name: string, args: readonly string[], options: SpawnOptions = {}): Child {
    program.mustLive();
    if (name === program.process.execPath) return startEntry(args[0]!, args.slice(1), options);
    if (name === "ssh") return startBySsh(args);
    if (name === "sh") return startGuard();
    const child = new Child(program);
    const answer = name === "queue" ? runQueueCommand(program, args) : undefined;
    child.happen(() => {
      if (answer === undefined) {
        child.emit("error", new DiskError("ENOENT", "spawn", name));
        return;
      }
      child.stdout.emit("data", bufferGlobal.from(answer));
      child.emit("close", 0, null);
    }, answerMs);
    return child;
  }

  // After `--` come the host and the words for its shell; paths of the machine need no quotes.
  function startBySsh(args: readonly string[]): Child {
    const [host, command] = args.slice(args.indexOf("--") + 1) as [string, string];
    const words = command.split(" ").map((word) => word.replace(/^'(.*)'$/, "$1"));
    const at = words.findIndex((word) => word.endsWith(".js"));
    return startEntry(words[at]!, words.slice(at + 1), { host, env: {} });
  }

  /**
   * The small shell program beside a driver (launchers/local/orphan-guard.ts), which kills what the driver leaves
   * behind.
   */
  function startGuard(): Child {
    const child = new Child(program);
    const guarded: number[] = [];
    child.stdin.onWrite = (chunk) => void guarded.push(Number(String(chunk).trim()));
    let isDismissed = false;
    const isAnyoneLeft = () => guarded.some((pid) => machine.programs.get(pid)?.isAlive);
    program.exitHandlers.push(() => {
      if (isDismissed) return;
      const end = () => {
        for (const pid of guarded) if (machine.programs.get(pid)?.isAlive) machine.signal(pid, "SIGKILL");
      };
      machine.clock.after(guardSleepMs, end, isAnyoneLeft);
    });
    child.kill = () => {
      program.mustLive();
      isDismissed = true;
      return true;
    };
    return child;
  }

  return {
    spawn,
    fork: (path: string, args: readonly string[], options: SpawnOptions) => startEntry(path, args, options),
    execFileSync: (name: string) => {
      throw new DiskError("ENOENT", "spawn", name);
    },
  };
}

/** A message between processes: the receiver gets a copy. */
function clone(message: unknown): unknown {
  return message === undefined ? undefined : (JSON.parse(JSON.stringify(message)) as unknown);
}
