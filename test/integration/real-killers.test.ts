import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { range, readFailures, readRecords } from "millrace";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { DeadlyProvider, DeadlyRunner, type Death, survivor } from "../fixtures/runners/deadly.ts";
import { makeMemoryCgroup } from "../support/memory-cgroup.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** What was said of workers that ended. */
let stderr = "";

beforeEach(() => {
  stderr = "";
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
    stderr += chunk.toString();
    return true;
  });
  return () => spy.mockRestore();
});

// One killer at the beginning, in the middle and at the end of a shard, then a shard with three of them.
const shardLength = 8;
const killers = [0, 8 + 4, 16 + 7, 24, 24 + 3, 24 + 7];
const lostPerKiller = 3;

// The others in the long form: npm run soak.
const usual: readonly Death[] = ["SIGSEGV", "exit 0", "memory"];
const others: readonly Death[] = ["abort", "exit 3", "exception", "rejection"];
const kinds = process.env["MILLRACE_ALL_KILLERS"] === undefined ? usual : [...usual, ...others];
const cases = kinds.flatMap((death) => [
  { death, batchSize: undefined, concurrency: 1 },
  { death, batchSize: 4, concurrency: 1 },
  { death, batchSize: undefined, concurrency: 7 },
]);

describe("items that really end their worker", () => {
  it.each(cases)(
    "are found wherever they are, one or several, each within three lost workers: $death, batches of $batchSize, $concurrency calls open",
    { timeout: 120_000 },
    async ({ death, batchSize, concurrency }) => {
      const outputDir = temporaryFolder();
      const deaths = Object.fromEntries(killers.map((item) => [item, death]));
      const records = await new DeadlyRunner(new DeadlyProvider({ deaths }), {
        outputDir,
        ...(batchSize === undefined ? {} : { batchSize }),
        parallel: { env: "process", n_workers: 2, options: { max_heap_mb: 64 } },
        shards: 4,
        concurrency,
        onError: "skip",
        progress: false,
      }).run(range(4 * shardLength));
      expect([...readFailures(outputDir)].map(({ item, error }) => [item, error.code])).toEqual(
        killers.map((item) => [item, "ITEM_CRASHED"]),
      );
      expect(records).toEqual([...range(4 * shardLength)].filter((item) => !killers.includes(item)).map(survivor));
      const lost = stderr.split("another one replaces it").length - 1;
      expect(lost).toBeLessThanOrEqual(lostPerKiller * killers.length);
    },
  );
});

const driver = fileURLToPath(new URL("../fixtures/children/memory-driver.mjs", import.meta.url));
const megabyte = 2 ** 20;

describe("items that take more memory than their cgroup may have", () => {
  it.for([0, 4])(
    "are found by the kernel's own counter, each within three lost workers (batches of %i)",
    { timeout: 300_000 },
    async (batchSize, { skip }) => {
      const cgroup = makeMemoryCgroup(`millrace-test-${process.pid}-${batchSize}`, 400 * megabyte);
      if ("whyNot" in cgroup) return skip(cgroup.whyNot);
      const outputDir = temporaryFolder();
      const hungry = [3, 8, 15];
      const shell = 'echo $$ > "$0" && exec "$@"';
      const args = [process.execPath, driver, outputDir, JSON.stringify(hungry), String(batchSize)];
      const child = spawn("sh", ["-c", shell, cgroup.procs, ...args], { stdio: ["ignore", "ignore", "pipe"] });
      let said = "";
      child.stderr.on("data", (text) => (said += text));
      try {
        const [code] = await once(child, "close");
        expect(said.split("(out of memory); another one").length - 1).toBeLessThanOrEqual(3 * hungry.length);
        expect({ code, said: code === 0 ? "" : said }).toEqual({ code: 0, said: "" });
        const failures = [...readFailures(outputDir)];
        expect(failures.map(({ item }) => item)).toEqual(hungry);
        for (const { error } of failures) expect(error.message).toContain("the memory limit of its cgroup was reached");
        const survivors = [...range(16)].filter((item) => !hungry.includes(item));
        const records = [0, 1].flatMap((id) => [...readRecords(join(outputDir, `split.${id}`, "records.jsonl"))]);
        expect(records).toEqual(survivors.map((idx) => ({ idx })));
      } finally {
        child.kill("SIGKILL");
        await sleep(200);
        cgroup.remove();
      }
    },
  );
});
