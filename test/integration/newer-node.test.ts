import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { hasZstd } from "../../src/formats/lines/compression.ts";

interface NewerNode {
  readonly noNewerNode: string;
  newerNode(): string | undefined;
}
const { newerNode, noNewerNode } = (await import("../../scripts/newer-node.mjs" as string)) as NewerNode;

const root = fileURLToPath(new URL("../../", import.meta.url));
const node = newerNode();
// Where this Node.js has zstd, all of these run in it.
const why = hasZstd ? "this Node.js has zstd itself" : node === undefined ? noNewerNode : undefined;
const cases = process.env["MILLRACE_FUZZ_CASES"] ?? "300";

// Those of the test run that this file belongs to would change the other one.
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST$|NODE_OPTIONS)/.test(name)),
);

async function runNode(...args: string[]): Promise<string> {
  const done = await promisify(execFile)(node!, args, { cwd: root, env, maxBuffer: 1 << 28 }).catch((error) => error);
  return `${done.stdout}${done.stderr}`;
}

describe.skipIf(why !== undefined)(
  `zstd on a Node.js that has it${why === undefined ? "" : ` (skipped: ${why})`}`,
  () => {
    it("passes the tests that are skipped without it", async () => {
      const files = ["datasets/zstd", "formats/lines/jsonl", "formats/parquet/parquet", "writers/format-writers"];
      const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
      const said = await runNode(
        vitest,
        "run",
        "--reporter=json",
        "-t",
        "zstd",
        ...files.map((file) => `test/unit/${file}.test.ts`),
      );
      const report = JSON.parse(said.slice(said.indexOf("{"), said.lastIndexOf("}") + 1)) as {
        testResults: { assertionResults: { fullName: string; status: string }[] }[];
      };
      const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
      expect(tests.filter(({ status }) => status === "failed")).toEqual([]);
      expect(report.testResults).toHaveLength(files.length);
      expect(tests.filter(({ status }) => status === "passed").length).toBeGreaterThan(12);
    });

    it("reads damaged frames or refuses them", async () => {
      const said = await runNode("--import", "tsx", join("test", "fuzz", "main.ts"), "jsonl-zstd-dataset", cases);
      expect(said).toMatch(
        new RegExp(`^jsonl-zstd-dataset: ${cases} cases, [1-9]\\d* values, [1-9]\\d* refusals, 0 findings`),
      );
    });
  },
);
