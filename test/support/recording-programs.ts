import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Programs that do nothing but note how they were called. */
export interface RecordingPrograms {
  /** With these first on the PATH. */
  readonly environment: NodeJS.ProcessEnv;
  /** Every call since the last time this was asked: the program and its words. */
  takeCalls(): string[][];
}

const programs = [
  ...["sbatch", "squeue", "scancel", "sacct", "scontrol"],
  ...["qsub", "qstat", "qdel", "qselect", "qacct", "qconf"],
  ...["oarsub", "oarstat", "oardel"],
  ...["bsub", "bjobs", "bkill", "bparams"],
  ...["condor_submit", "condor_q", "condor_rm", "condor_history", "condor_config_val"],
  ...["msub", "showq", "canceljob"],
  ...["kubectl", "ssh"],
];

// A unit separator between words and a record separator behind a call: no argument of an honest call holds them.
const script = `#!/bin/sh
{ printf '%s' "\${0##*/}"; for word; do printf '\\037%s' "$word"; done; printf '\\036'; } >>"$RECORDED_CALLS"
case "\${0##*/}" in
  sbatch | qsub | oarsub | bsub | condor_submit | msub) echo "there is no such queue" >&2; exit 1 ;;
  kubectl) case " $* " in *" create "*) echo "there is no such queue" >&2; exit 1 ;; esac ;;
esac
`;

/** Puts stand-ins for the programs of all schedulers, and for ssh, into a folder. They take no job, and answer
 * nothing else. */
export function recordingPrograms(folder: string): RecordingPrograms {
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  for (const program of programs) {
    writeFileSync(join(bin, program), script);
    chmodSync(join(bin, program), 0o755);
  }
  const calls = join(folder, "calls");
  let taken = 0;
  return {
    environment: { ...process.env, RECORDED_CALLS: calls, PATH: [bin, process.env["PATH"]].join(delimiter) },
    takeCalls() {
      const all = (existsSync(calls) ? readFileSync(calls, "utf8") : "").split("\u001e").slice(0, -1);
      const fresh = all.slice(taken).map((call) => call.split("\u001f"));
      taken = all.length;
      return fresh;
    },
  };
}
