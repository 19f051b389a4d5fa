import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { builtFixturesAlias } from "./test/support/built-fixtures.ts";
import { SlowFirst } from "./test/support/slow-first.ts";

// The one left out mocks `node:fs`, which another file of its process would have loaded before.
const sharingProcesses = ["test/unit/**/!(group-sync).test.ts"];

export default defineConfig({
  // Tests of behaviour run on the build, as a user's program does; unit tests import the sources.
  resolve: {
    alias: [
      builtFixturesAlias,
      { find: /^millrace$/, replacement: fileURLToPath(new URL("./dist/index.js", import.meta.url)) },
      { find: /^millrace\/(\w+)$/, replacement: fileURLToPath(new URL("./dist/$1.js", import.meta.url)) },
    ],
  },
  test: {
    projects: [
      { extends: true, test: { name: "runs", include: ["test/**/*.test.ts"], exclude: sharingProcesses } },
      {
        extends: true,
        test: {
          name: "units",
          include: sharingProcesses,
          // A process of its own takes more time than most of these files.
          isolate: false,
          setupFiles: ["test/support/unchanged-process.ts"],
        },
      },
    ],
    globalSetup: ["test/support/built-fixtures.ts"],
    sequence: { sequencer: SlowFirst },
    pool: "forks",
    // More than there are cores on a small machine: many suites wait for schedulers and for workers that they have killed.
    maxWorkers: Math.max(6, availableParallelism()),
    // For tests that hang: none may fail because the machine does other things too.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    server: { deps: { external: [/\/dist\//, /\/\.cache\/fixtures\//] } },
  },
});
