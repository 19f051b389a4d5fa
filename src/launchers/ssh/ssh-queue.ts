import { type ChildProcess, spawn } from "node:child_process";
import { jobLogName } from "../../run-folder/files/log-names.ts";
import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { openWorkerLog } from "../../run-folder/files/worker-log.ts";
import { type Submission, writeSubmission } from "../../run-folder/jobs/job-records.ts";
import type { JobQueue } from "../jobs/job-queue.ts";
import { taskKey } from "../jobs/judge-tasks.ts";
import type { TaskStatus } from "../jobs/scheduler.ts";
import { sshCall } from "./ssh-call.ts";
import type { SshOptions } from "./ssh-options.ts";
import { newSshSubmission } from "./ssh-submission.ts";

interface Connection {
  readonly child: ChildProcess;
  readonly host: string;
  readonly name: string;
  lastOutput: string;
  exit: string | undefined;
}

// How long a job may take to save after its standard input has ended.
const leaveGraceMs = 10_000;
const lastOutputLength = 2000;
// The exit code of ssh if the connection failed, or if a signal ended the command.
const sshErrorCode = 255;

/** A queue of jobs on hosts that are reached by ssh. A job leaves when its connection ends. */
export function openSshQueue(paths: RunPaths, options: SshOptions): JobQueue {
  const connections = new Map<string, Connection>();
  let nextHost = 0;

  return {
    async submit(tasks, excluded = []) {
      const hosts = options.hosts.filter((host) => !excluded.includes(host));
      return Array.from({ length: tasks }, () => start(pick(hosts.length === 0 ? options.hosts : hosts)));
    },
    look: async (submissions) => ({
      isAnswered: true,
      statuses: new Map(submissions.map((one) => [taskKey(one, 0), statusOf(one)])),
    }),
    askHistory: async () => [],
    async cancel(submissions) {
      for (const { name } of submissions) end(connections.get(name));
      return undefined;
    },
    close(submissions) {
      for (const submission of submissions) writeSubmission(paths, { ...submission, isClosed: true });
    },
    // Jobs of earlier drivers have ended with these drivers.
    inherited: async () => [],
  };

  function pick(hosts: readonly string[]): string {
    return hosts[nextHost++ % hosts.length]!;
  }

  function start(host: string): Submission {
    const submission = newSshSubmission(host, options);
    const { name } = submission;
    writeSubmission(paths, submission);
    const { program, args } = sshCall(host, options, { runDir: paths.root, name, task: 0 });
    // In a new process group: Ctrl-C then reaches only this process, which ends the jobs.
    const child = spawn(program, [...args], { stdio: ["pipe", "pipe", "pipe"], detached: true });
    const connection: Connection = { child, host, name, lastOutput: "", exit: undefined };
    connections.set(name, connection);
    readOutput(connection);
    return submission;
  }

  function readOutput(connection: Connection): void {
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
      connection.lastOutput = (connection.lastOutput + chunk.toString()).slice(-lastOutputLength);
    });
    child.on("error", (error: NodeJS.ErrnoException) => {
      connection.exit = error.code === "ENOENT" ? "ssh is not on the PATH of this host" : error.message;
    });
    child.on("close", (code, signal) => {
      log.close();
      const how =
        code === sshErrorCode ? "the connection failed, or the job was killed" : `it ended with ${signal ?? code}`;
      connection.exit ??= [how, connection.lastOutput.trim()].filter((part) => part !== "").join(": ");
    });
  }

  function statusOf({ name, id }: Submission): TaskStatus {
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
