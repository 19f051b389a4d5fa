import type { ParallelConfig } from "../../config/parallel.ts";
import { checkSshOptions, type SshOptions } from "../../launchers/ssh/ssh-options.ts";
import { shellWord } from "../../text/shell-word.ts";
import type { Finding } from "./finding.ts";
import { type ProgramAnswer, tryProgram } from "./try-program.ts";

// A login server may refuse many connections at once.
const maxConcurrent = 8;
// More time than ssh has, so that ssh itself reports why it failed.
const sshMarginMs = 1000;

// These can start any program, on either side.
const commandKeys = ["ssh_arguments", "node"];

/**
 * Asks each host of `env: ssh` for its Node.js version, with the command of a job. If the config sets commands, they
 * are used only with --trust.
 */
export async function* checkSshHosts(
  parallel: ParallelConfig,
  { timeoutMs, isTrusted }: { readonly timeoutMs: number; readonly isTrusted: boolean },
): AsyncGenerator<Finding> {
  const options = checkSshOptions(parallel);
  const commands = commandKeys.filter((key) => parallel.options[key] !== undefined);
  if (commands.length > 0 && !isTrusted) {
    yield {
      state: "note",
      what: "ssh hosts",
      detail: `not asked: ${commands.join(" and ")} of the config can start any program`,
      hint: "Look at them in the config; then `millrace doctor CONFIG --trust` asks the hosts.",
    };
    return;
  }
  const hosts = [...new Set(options.hosts)];
  for (let i = 0; i < hosts.length; i += maxConcurrent) {
    const group = hosts.slice(i, i + maxConcurrent);
    const answers = group.map((host) => tryProgram(questionFor(host, options, timeoutMs), timeoutMs + sshMarginMs));
    for (const [at, answer] of (await Promise.all(answers)).entries()) {
      // A missing ssh is reported once, among the backends.
      if (answer.kind !== "absent") yield describe(group[at]!, options, answer);
    }
  }
}

/** BatchMode: no prompts, because there may be no user to answer them. */
function questionFor(host: string, { sshArguments, node }: SshOptions, timeoutMs: number): [string, ...string[]] {
  const limits = ["-o", "BatchMode=yes", "-o", `ConnectTimeout=${Math.ceil(timeoutMs / 1000)}`];
  return ["ssh", ...sshArguments, ...limits, "--", host, `exec ${shellWord(node)} --version`];
}

function describe(host: string, { node }: SshOptions, answer: ProgramAnswer): Finding {
  const what = `ssh ${host}`;
  if (answer.kind === "answer") return { state: "fine", what, detail: `answers: Node.js ${answer.text}` };
  const why = answer.kind === "failed" ? answer.why : "it did not answer in time (--timeout)";
  return {
    state: "wrong",
    what,
    detail: `no job can be started there: ${why}`,
    hint: `Try \`ssh ${shellWord(host)} ${shellWord(node)} --version\`: it must work without a password, and Node.js must be installed there (parallel.options.node).`,
  };
}
