// npm run soak: the random tests of `npm test` for longer: npm run soak -- 10 (times the default).
// npm run soak -- file-systems [10]: those of shared file systems, also on NFS in a user-mode Linux.
import { join } from "node:path";
import { ensureBuilt, ensureInstalled, root, run, runTool } from "./ensure.mjs";
import { ensureSystemPackages } from "./system-packages.mjs";

const words = process.argv.slice(2);
const isFileSystems = words[0] === "file-systems";
const times = Number(words.find((word) => /^\d+$/.test(word)) ?? (isFileSystems ? 5 : 20));
ensureInstalled();
ensureBuilt();
if (isFileSystems) {
  ensureSystemPackages({ isLong: true });
  const files = ["shared-file-systems", "unfit-file-systems", "unsteady-files", "chaos", "nfs"];
  const env = {
    ...process.env,
    MILLRACE_NFS: "1",
    MILLRACE_FILE_SYSTEM_TIMES: String(times),
    MILLRACE_CHAOS_ROUNDS: String(30 * times),
  };
  const paths = files.map((name) => `test/integration/${name}.test.ts`);
  runTool(["vitest", "vitest.mjs"], ["run", ...paths], { env });
  process.exit(0);
}
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
