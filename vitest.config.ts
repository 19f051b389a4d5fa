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
    // These end a test that hangs. They say nothing about speed: on a machine that does other things too, the start of a
    // worker takes ten seconds instead of a tenth of one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 200_000 } },
    server: { deps: { external: [/\/dist\//] } },
  },
});
