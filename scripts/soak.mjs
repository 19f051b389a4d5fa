// npm run soak: the random tests of `npm test` for longer: npm run soak -- 10 (times the default).
import { join } from "node:path";
import { ensureBuilt, ensureInstalled, root, run, runTool } from "./ensure.mjs";

const times = Number(process.argv[2] ?? 20);
ensureInstalled();
ensureBuilt();
const env = {
  ...process.env,
  MILLRACE_FUZZ_RUNS: String(1500 * times),
  MILLRACE_KILL_ROUNDS: String(3 * times),
  MILLRACE_CHAOS_ROUNDS: String(30 * times),
  MILLRACE_OUTSIDE_KILLS: String(150 * times),
  MILLRACE_CLUSTER_KILLS: String(15 * times),
  MILLRACE_ALL_KILLERS: "1",
  MILLRACE_CONFIG_TIMES: String(times),
  MILLRACE_HOSTILE: "all",
  MILLRACE_HEAP_RUNS: "800",
};
runTool(
  ["vitest", "vitest.mjs"],
  [
    "run",
    "test/unit/run-folder/protocol.test.ts",
    "test/integration/random-kills.test.ts",
    "test/integration/chaos.test.ts",
    "test/integration/outside-kills.test.ts",
    "test/integration/outside-kills-clusters.test.ts",
    "test/integration/real-killers.test.ts",
    "test/integration/config-omegaconf.test.ts",
    "test/integration/hostile-run-folder.test.ts",
    "test/integration/heap-of-runs.test.ts",
  ],
  { env },
);
run(process.execPath, [join(root, "scripts", "fuzz.mjs"), String(5000 * times)]);
