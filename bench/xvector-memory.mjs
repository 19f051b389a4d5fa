// Run by the benchmark of the same name in a separate process: a job with the built-in model in this process. Prints a
// line with the memory in megabytes after a tenth, a half and all of its utterances.
import { dirname, join } from "node:path";
import { range } from "millrace";
import { XVectorProvider, XVectorRunner } from "millrace/recipes";

const [manifest_path, output] = process.argv.slice(2);
const xvector = {
  toolkit: "builtin",
  save_path: dirname(output),
  manifest_paths: { all: manifest_path },
  output_format: "ark",
};
const provider = new XVectorProvider({ xvector }, { manifest_path, output_dir: join(output, "all") });
const { utterances, model } = await provider.buildEnvLocal();
const count = utterances.length;
await model.release();

const marks = new Set([count / 10, count / 2, count].map(Math.floor));
let done = 0;

class Watched extends XVectorRunner {
  static async forward(idx, env) {
    const results = await XVectorRunner.forward(idx, env);
    if (marks.has(++done)) tell();
    return results;
  }
}

function tell() {
  // First as it is, then after garbage collection.
  const rss = process.memoryUsage.rss() / 2 ** 20;
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  console.log(JSON.stringify({ done, rss, held: (heapUsed + external) / 2 ** 20 }));
}

await new Watched(provider, {
  outputDir: join(output, "runs", "all"),
  progress: false,
  parallel: { env: "local" },
}).run(range(count));
