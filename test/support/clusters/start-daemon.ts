import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { isRoot, processNamespace } from "./why-not.ts";

/** A daemon and all that it started, in a process namespace of its own. */
export interface Daemon {
  hasEnded(): boolean;
  /** SIGKILL to all of them at once, as when the power goes; returns when none is left. */
  kill(): Promise<void>;
}

export interface DaemonOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly logFile: string;
  /** What the daemon and its children take for the name of their machine. */
  readonly hostname?: string;
  /** What they see as /etc/hosts; root only. */
  readonly hostsFile?: string;
  /** A file of a network namespace to run in; root only. */
  readonly network?: string;
}

// The first process of the namespace: when it ends, the kernel kills all others in it. It ends with the daemon, or when
// its input does, and that happens even if the tests are killed. It also reaps what the daemon leaves behind.
const first = `
[ -z "$1" ] || hostname "$1" || exit
[ -z "$2" ] || mount --bind "$2" /etc/hosts || exit
shift 2
exec 3<&0
trap 'exit 0' TERM
{ read -r _ <&3; kill -TERM 1; } &
"$@" </dev/null 3<&- &
wait $!
`;

/** Starts a foreground daemon such that neither it nor a child of it can outlive this process. */
export function startDaemon(command: readonly string[], options: DaemonOptions): Daemon {
  const { environment, logFile, hostname = "", hostsFile = "", network } = options;
  const log = openSync(logFile, "a");
  const [program, ...args] = [
    ...(network === undefined ? [] : ["nsenter", `--net=${network}`]),
    ...["unshare", ...processNamespace, ...(hostname === "" ? [] : nameNamespace)],
    ...["sh", "-c", first, "sh", hostname, hostsFile],
    ...(hostname === "" || isRoot ? [] : dropCapabilities),
    ...command,
  ];
  // Of its own session: Ctrl-C is for the tests, which then stop their cluster.
  const child = spawn(program!, args, { env: environment, stdio: ["pipe", log, log], detached: true });
  closeSync(log);
  return watchDaemon(child);
}

// A plain user needs a capability to name the machine; daemons and jobs are to run without any.
const nameNamespace = isRoot ? ["--uts"] : ["--uts", "--keep-caps"];
const dropCapabilities = ["setpriv", "--ambient-caps=-all", "--inh-caps=-all", "--"];

function watchDaemon(child: ChildProcess): Daemon {
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  child.stdin?.on("error", () => {});
  // A program that forgets its cluster can still come to its end, which is the cluster's end too.
  child.unref();
  (child.stdin as unknown as { unref(): void } | null)?.unref();
  return {
    hasEnded: () => hasEnded,
    async kill() {
      child.ref();
      child.stdin?.destroy();
      await ended;
    },
  };
}
