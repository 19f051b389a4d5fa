import { fileURLToPath } from "node:url";
import { entryUrl } from "../../shared/entry-url.ts";
import { shellWord } from "../../shared/shell-word.ts";
import { attachedFlag } from "../batch/job-arguments.ts";
import type { Call } from "../batch/scheduler.ts";
import { inheritedArguments } from "../start-process.ts";
import type { SshOptions } from "./ssh-options.ts";

export interface RemoteTask {
  readonly runDir: string;
  readonly name: string;
  readonly task: number;
  /** The file, as the host sees it, that takes the output of a task which is left alone. */
  readonly log?: string | undefined;
}

// No questions, since nobody may be there to answer; and a host that is gone is noticed, before the login too.
const always = ["BatchMode=yes", "ConnectTimeout=45", "ServerAliveInterval=15", "ServerAliveCountMax=3"].flatMap(
  (setting) => ["-o", setting],
);

/**
 * The call that starts a job on a host. What ssh is given is put together by blanks and read by a shell over there: every
 * word is quoted for it.
 */
export function sshCall(host: string, options: SshOptions, { runDir, name, task, log }: RemoteTask): Call {
  const program = fileURLToPath(entryUrl("job-process.js"));
  const node = [options.node, ...inheritedArguments(process.execArgv), program, runDir, name, String(task)];
  const words = (log === undefined ? [...node, attachedFlag] : node).map(shellWord).join(" ");
  const command = log === undefined ? `exec ${words}` : `setsid ${words} >>${shellWord(log)} 2>&1 </dev/null &`;
  return { program: "ssh", args: [...options.sshArguments, ...always, "--", host, command] };
}
