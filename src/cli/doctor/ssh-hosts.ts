import type { ParallelConfig } from "../../config/parallel.ts";
import { checkSshOptions, type SshOptions } from "../../launchers/ssh/ssh-options.ts";
import { shellWord } from "../../shared/shell-word.ts";
import { askProgram, type ProgramAnswer } from "./ask-program.ts";
import type { Finding } from "./finding.ts";

// A login server may refuse many connections at once.
const askedAtOnce = 8;
// So that ssh itself says why it gave up.
const lastWordsMs = 1000;

/** Asks each host of `env: ssh` for its Node.js, as a job would be started there. */
export async function* checkSshHosts(parallel: ParallelConfig, patienceMs: number): AsyncGenerator<Finding> {
  const options = checkSshOptions(parallel);
  const hosts = [...new Set(options.hosts)];
  for (let i = 0; i < hosts.length; i += askedAtOnce) {
    const group = hosts.slice(i, i + askedAtOnce);
    const answers = group.map((host) => askProgram(questionFor(host, options, patienceMs), patienceMs + lastWordsMs));
    for (const [at, answer] of (await Promise.all(answers)).entries()) {
      // That ssh is not here is said among the backends, once.
      if (answer.kind !== "absent") yield describe(group[at]!, options, answer);
    }
  }
}

/** No questions back, since nobody may be there to answer them. */
function questionFor(host: string, { sshArguments, node }: SshOptions, patienceMs: number): [string, ...string[]] {
  const limits = ["-o", "BatchMode=yes", "-o", `ConnectTimeout=${Math.ceil(patienceMs / 1000)}`];
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
    hint: `Try \`ssh ${shellWord(host)} ${shellWord(node)} --version\`: it has to work without a password, and Node.js to be there (parallel.options.node).`,
  };
}
