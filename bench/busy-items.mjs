// Items that keep the processor busy for 0.1 ms each. Run as a program, it counts each call of forward in a file beside
// the run.
import { openSync, writeSync } from "node:fs";
import { BaseRunner, EnvironmentProvider, range } from "millrace";

class BusyProvider extends EnvironmentProvider {
  buildEnvLocal() {
    return { fd: this.params.calls === undefined ? undefined : openSync(this.params.calls, "a") };
  }
}

class BusyRunner extends BaseRunner {
  static forward(idx, { fd }) {
    if (fd !== undefined) writeSync(fd, ".");
    const end = performance.now() + 0.1;
    while (performance.now() < end);
    return { idx };
  }
}

export function runBusy(outputDir, count, options = {}, params = {}) {
  return new BusyRunner(new BusyProvider({}, params), { outputDir, progress: false, ...options }).run(range(count));
}

if (process.argv[1] === import.meta.filename)
  await runBusy(process.argv[2], Number(process.argv[3]), {}, { calls: `${process.argv[2]}.calls` });
