import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  // Tests of behaviour run on the build, as a user's program does; unit tests import the sources.
  resolve: {
    alias: [
      { find: /^millrace$/, replacement: fileURLToPath(new URL("./dist/index.js", import.meta.url)) },
      { find: /^millrace\/(\w+)$/, replacement: fileURLToPath(new URL("./dist/$1.js", import.meta.url)) },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    // More than there are cores on a small machine: many suites wait for schedulers and for workers that they have killed.
    maxWorkers: Math.max(3, availableParallelism()),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One second, as it is by default, is short on a machine that does other things too.
    expect: { poll: { timeout: 20_000 } },
    server: { deps: { external: [/\/dist\//] } },
  },
});
