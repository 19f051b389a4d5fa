// The smallest job: one multiplication per item, JSONL out. Shared by several benchmarks.
import { closeSync, openSync, writeSync } from "node:fs";
import { BaseRunner, EnvironmentProvider, range } from "millrace";

export class TinyProvider extends EnvironmentProvider {
  buildEnvLocal() {
    return { factor: 2 };
  }
}

export class TinyRunner extends BaseRunner {
  static forward(idx, { factor }) {
    return { idx, value: idx * factor };
  }
}

export function runTiny(outputDir, count, options = {}) {
  return new TinyRunner(new TinyProvider({}), { outputDir, progress: false, ...options }).run(range(count));
}

/** The hand-written alternative: a loop and a buffered file. */
export function bareLoop(path, count) {
  const env = { factor: 2 };
  const fd = openSync(path, "w");
  let text = "";
  for (let idx = 0; idx < count; idx++) {
    text += `${JSON.stringify(TinyRunner.forward(idx, env))}\n`;
    if (text.length >= 65_536) {
      writeSync(fd, text);
      text = "";
    }
  }
  writeSync(fd, text);
  closeSync(fd);
}
