import { type ChildProcess, spawn } from "node:child_process";
import { type Submission, writeSubmission } from "../../store/job-records.ts";
import { jobLogName } from "../../store/log-names.ts";
import type { RunPaths } from "../../store/run-paths.ts";
import { openWorkerLog } from "../../store/worker-log.ts";
import type { JobQueue } from "../batch/job-queue.ts";
import { taskKey } from "../batch/judge-tasks.ts";
import type { TaskSight } from "../batch/scheduler.ts";
import { sshCall } from "./ssh-call.ts";
import type { SshOptions } from "./ssh-options.ts";
import { newSshSubmission } from "./ssh-submission.ts";

interface Connection {
  readonly child: ChildProcess;
  readonly host: string;
  readonly name: string;
  lastWords: string;
  exit: string | undefined;
}

// How long a job may take to save after its input has ended.
const leaveGraceMs = 10_000;
const lastWordsLength = 2000;
// What ssh itself exits with where there was no connection, or the command was ended by a signal.
const sshFailed = 255;

/** Jobs on hosts that are reached by ssh. Each hangs on its connection: where that ends, the job leaves. */
export function openSshQueue(paths: RunPaths, options: SshOptions): JobQueue {
  const connections = new Map<string, Connection>();
  let turn = 0;

  return {
    async submit(tasks, excluded = []) {
      const hosts = options.hosts.filter((host) => !excluded.includes(host));
      return Array.from({ length: tasks }, () => start(pick(hosts.length === 0 ? options.hosts : hosts)));
    },
    look: async (submissions) => ({
      isAnswered: true,
      sights: new Map(submissions.map((one) => [taskKey(one, 0), see(one)])),
    }),
    recall: async () => [],
    async cancel(submissions) {
      for (const { name } of submissions) end(connections.get(name));
      return undefined;
    },
    close(submissions) {
      for (const submission of submissions) writeSubmission(paths, { ...submission, isClosed: true });
    },
    // They have left with the driver that started them.
    inherited: async () => [],
  };

  function pick(hosts: readonly string[]): string {
    return hosts[turn++ % hosts.length]!;
  }

  function start(host: string): Submission {
    const submission = newSshSubmission(host, options);
    const { name } = submission;
    writeSubmission(paths, submission);
    const { program, args } = sshCall(host, options, { runDir: paths.root, name, task: 0 });
    // Of its own group: Ctrl-C is for this process, which tells the jobs itself.
    const child = spawn(program, [...args], { stdio: ["pipe", "pipe", "pipe"], detached: true });
    const connection: Connection = { child, host, name, lastWords: "", exit: undefined };
    connections.set(name, connection);
    listen(connection);
    return submission;
  }

  function listen(connection: Connection): void {
    const { child, name } = connection;
    const log = openWorkerLog(paths.root, `${jobLogName(name)}.0`);
    child.stdin!.on("error", () => {});
    child.stdout!.on("data", (chunk: Buffer) => {
      process.stdout.write(chunk);
      log.write(chunk);
    });
    child.stderr!.on("data", (chunk: Buffer) => {
      process.stderr.write(chunk);
      log.write(chunk);
      connection.lastWords = (connection.lastWords + chunk.toString()).slice(-lastWordsLength);
    });
    child.on("error", (error: NodeJS.ErrnoException) => {
      connection.exit = error.code === "ENOENT" ? "ssh is not on the PATH of this host" : error.message;
    });
    child.on("close", (code, signal) => {
      log.close();
      const how =
        code === sshFailed ? "the connection failed, or the job was killed" : `it ended with ${signal ?? code}`;
      connection.exit ??= [how, connection.lastWords.trim()].filter((part) => part !== "").join(": ");
    });
  }

  function see({ name, id }: Submission): TaskSight {
    const connection = connections.get(name);
    const hasEnded = connection === undefined || connection.exit !== undefined;
    return {
      id: id ?? name,
      task: 0,
      state: hasEnded ? "lost" : "running",
      detail: connection?.exit ?? "connected",
      node: connection?.host,
    };
  }

  function end(connection: Connection | undefined): void {
    if (connection === undefined || connection.exit !== undefined) return;
    connection.child.stdin!.end();
    setTimeout(() => connection.child.kill("SIGKILL"), leaveGraceMs).unref();
  }
}
