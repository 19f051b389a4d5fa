import { fileURLToPath } from "node:url";
import { entryUrl } from "../../runtime/entry-url.ts";
import { inheritedArguments } from "../../runtime/inherited-arguments.ts";
import { shellWord } from "../../text/shell-word.ts";
import { attachedFlag } from "../jobs/job-arguments.ts";
import type { Call } from "../jobs/scheduler.ts";
import type { SshOptions } from "./ssh-options.ts";

export interface RemoteTask {
  readonly runDir: string;
  readonly name: string;
  readonly task: number;
  /** The file on the host for the output of a task that needs no connection. */
  readonly log?: string | undefined;
}

// No prompts, because there may be no terminal. A dead host is noticed before and after the login.
const connectionOptions = [
  "BatchMode=yes",
  "ConnectTimeout=45",
  "ServerAliveInterval=15",
  "ServerAliveCountMax=3",
].flatMap((setting) => ["-o", setting]);

/**
 * The call that starts a job on a host. ssh joins its arguments with blanks, and a shell on the host parses the result,
 * so every word is quoted.
 */
export function sshCall(host: string, options: SshOptions, { runDir, name, task, log }: RemoteTask): Call {
  const program = fileURLToPath(entryUrl("job-process.js"));
  const node = [options.node, ...inheritedArguments(process.execArgv), program, runDir, name, String(task)];
  const words = (log === undefined ? [...node, attachedFlag] : node).map(shellWord).join(" ");
  const command = log === undefined ? `exec ${words}` : `setsid ${words} >>${shellWord(log)} 2>&1 </dev/null &`;
  return { program: "ssh", args: [...options.sshArguments, ...connectionOptions, "--", host, command] };
}
