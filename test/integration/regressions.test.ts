// Where ESPnet3's runner breaks (the numbers are those of the project's list of its weaknesses), this one must not.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BaseRunner, EnvironmentProvider, range } from "millrace";
import { beforeEach, describe, expect, it } from "vitest";
import { calls, SquareProvider, SquareRunner, squares } from "../fixtures/runners/squares.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

type Writers = Record<string, unknown>;

const quiet = { progress: false } as const;
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/children/${name}`, import.meta.url));

beforeEach(() => {
  calls.length = 0;
});

/** Starts a run in another process that holds its first shard until it is killed; returns once it holds it. */
async function holdShard(outputDir: string) {
  const child = spawn(process.execPath, [fixture("holds-its-first-shard.mjs"), outputDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

// Far longer than a test may take: a test that passes did not wait for a lease to expire.
// The holder's classes are those of its own script: to this process they are other code.
const holderOptions = { ...quiet, shards: 4, leaseTtl: 600_000, onCodeChange: "accept" } as const;

describe("E1: one failing item", () => {
  it("leaves no lock on any of four shards, and the plain resume completes", async () => {
    const outputDir = temporaryFolder();
    const options = { ...quiet, outputDir, shards: 4, acceptChange: true };
    await expect(new SquareRunner(new SquareProvider({ failAt: [0] }), options).run(range(8))).rejects.toThrow(
      "item 0",
    );
    expect(readdirSync(join(outputDir, ".millrace", "leases"))).toEqual([]);
    expect(await new SquareRunner(new SquareProvider({}), options).run(range(8))).toEqual(squares([...range(8)]));
  });
});

describe("E2: a second runner on the same folder", () => {
  it("works beside the first: takes the shards that are free and waits for the one that is held", async () => {
    const outputDir = temporaryFolder();
    const child = await holdShard(outputDir);
    const second = new SquareRunner(new SquareProvider({}), { ...holderOptions, outputDir }).run(range(8));
    await until(() => [1, 2, 3].every((id) => existsSync(join(outputDir, `split.${id}`, "done"))));
    expect(existsSync(join(outputDir, "split.0"))).toBe(false);
    child.kill("SIGKILL");
    expect(await second).toEqual(squares([...range(8)]));
  });

  it("is refused a start-over while the first one runs, with an error that names it", async () => {
    const outputDir = temporaryFolder();
    const child = await holdShard(outputDir);
    const startOver = new SquareRunner(new SquareProvider({}), { ...holderOptions, outputDir, resume: false });
    await expect(startOver.run(range(8))).rejects.toMatchObject({
      code: "RUN_BUSY",
      message: expect.stringMatching(new RegExp(`process ${child.pid} on .* is working on split.0`)),
    });
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await startOver.run(range(8))).toEqual(squares([...range(8)]));
  });
});

describe("E3: a killed worker", () => {
  it("loses its shard at once on the same host, without a manual deletion", async () => {
    const outputDir = temporaryFolder();
    const child = await holdShard(outputDir);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await new SquareRunner(new SquareProvider({}), { ...holderOptions, outputDir }).run(range(8))).toEqual(
      squares([...range(8)]),
    );
  });

  it("of another host loses its shard when its lease runs out", async () => {
    const outputDir = temporaryFolder();
    await expect(
      new SquareRunner(new SquareProvider({ failAt: [0] }), { ...holderOptions, outputDir }).run(range(8)),
    ).rejects.toThrow();
    // As a worker on a host that was switched off would have left it.
    const lease = { worker: "w-far", host: "far|boot|ns", pid: 1, began: "1", ttlMs: 400 };
    mkdirSync(join(outputDir, ".millrace", "attempts", "1.1"));
    writeFileSync(join(outputDir, ".millrace", "leases", "1.1"), JSON.stringify(lease));
    const options = { ...holderOptions, outputDir, acceptChange: true };
    expect(await new SquareRunner(new SquareProvider({}), options).run(range(8))).toEqual(squares([...range(8)]));
  });
});

describe("a worker whose shard was taken over while it worked", () => {
  it("does not end in an error, and commits nothing of its own", async () => {
    const outputDir = temporaryFolder();
    const machinery = join(outputDir, ".millrace");
    let isTaken = false;
    class Overtaken extends BaseRunner<object, number> {
      static forward(idx: number) {
        if (idx === 2 && !isTaken) {
          // As another worker does that finds the lease run out.
          isTaken = true;
          rmSync(join(machinery, "leases", "0.1"));
          renameSync(join(machinery, "attempts", "0.1"), join(machinery, "attempts", "0.1.fenced"));
        }
        return idx;
      }
    }
    class Provider extends EnvironmentProvider<object> {
      buildEnvLocal() {
        return {};
      }
    }
    const runner = new Overtaken(new Provider({}), { ...quiet, outputDir, shards: 1 });
    expect(await runner.run(range(5))).toEqual([0, 1, 2, 3, 4]);
    expect(JSON.parse(readFileSync(join(outputDir, "split.0", "done"), "utf8"))).toMatchObject({ attempt: 2 });
  });
});

describe("E4: a resume with another worker count, batch size or kind of list", () => {
  it("continues with the plan as it was made", async () => {
    const outputDir = temporaryFolder();
    const failing = new SquareProvider({ failAt: [13] });
    await expect(new SquareRunner(failing, { ...quiet, outputDir, batchSize: 2 }).run(range(20))).rejects.toThrow(
      "item 13",
    );
    const changed = { ...quiet, outputDir, batchSize: 5, parallel: { n_workers: 9 }, acceptChange: true };
    expect(await new SquareRunner(new SquareProvider({}), changed).run([...range(20)])).toEqual(
      squares([...range(20)]),
    );
  });
});

describe("E5: a crash", () => {
  it("costs what was done since the last checkpoint, not the shard", async () => {
    const outputDir = temporaryFolder();
    const child = spawn(process.execPath, [fixture("counts-to-a-hundred.mjs"), outputDir], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    const again = spawn(process.execPath, [fixture("counts-to-a-hundred.mjs"), outputDir], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    again.stdout.on("data", (part) => (text += part));
    await once(again, "close");
    const [first] = text.trim().split("\n").map(Number);
    // The first run said when it came to item 50; the second one begins close to there.
    expect(first).toBeGreaterThan(0);
    expect(readFileSync(join(outputDir, "records.jsonl"), "utf8")).toBe([...range(100)].map((i) => `${i}\n`).join(""));
  });
});

describe("E8: shards of another config", () => {
  it("are never merged silently", async () => {
    const outputDir = temporaryFolder();
    await new SquareRunner(new SquareProvider({ power: 3 }), { ...quiet, outputDir }).run(range(4));
    await expect(
      new SquareRunner(new SquareProvider({ power: 4 }), { ...quiet, outputDir }).run(range(4)),
    ).rejects.toThrow(/config\.power: 3 -> 4/);
  });
});

describe("E9: the merged result", () => {
  it("stays as it was until the new one is complete", async () => {
    const outputDir = temporaryFolder();
    const options = { ...quiet, outputDir, shards: 2, mergeFiles: true };
    await new SquareRunner(new SquareProvider({}), options).run(range(4));
    const before = readFileSync(join(outputDir, "records.jsonl"), "utf8");
    const shard = join(outputDir, "split.1", "records.jsonl");
    const bytes = readFileSync(shard);
    writeFileSync(shard, Buffer.alloc(bytes.length, "x"));
    writeFileSync(join(outputDir, ".millrace", "merged.json"), "{}");
    await expect(new SquareRunner(new SquareProvider({}), options).run(range(4))).rejects.toMatchObject({
      code: "SHARD_DAMAGED",
      message: expect.stringContaining(shard),
    });
    expect(readFileSync(join(outputDir, "records.jsonl"), "utf8")).toBe(before);
    expect(readdirSync(outputDir).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

describe("E10: a writer that cannot be opened", () => {
  class Provider extends EnvironmentProvider<object> {
    buildEnvLocal() {
      return {};
    }
  }

  it("leaves no lock, and writers are closed when an item fails", async () => {
    const outputDir = temporaryFolder();
    let mood: "cannot open" | "cannot run" | "fine" = "cannot open";
    let open = 0;
    class Moody extends BaseRunner<object, number> {
      static forward(idx: number) {
        if (mood === "cannot run") throw new Error("cannot run");
        return idx;
      }
      static override openWriters(shardDir: string) {
        if (mood === "cannot open") throw new Error("cannot open");
        open++;
        return super.openWriters(shardDir, undefined as never);
      }
      static override closeWriters(writers: Writers) {
        open--;
        return super.closeWriters(writers, undefined as never, undefined as never);
      }
    }
    const options = { ...quiet, outputDir };
    await expect(new Moody(new Provider({}), options).run(range(2))).rejects.toThrow("cannot open");
    mood = "cannot run";
    await expect(new Moody(new Provider({}), options).run(range(2))).rejects.toThrow("cannot run");
    expect(open).toBe(0);
    mood = "fine";
    expect(await new Moody(new Provider({}), options).run(range(2))).toEqual([0, 1]);
    expect(open).toBe(0);
  });
});

describe("E12: the standard writer", () => {
  it("keeps no result in memory: many large records in a small heap", async () => {
    const outputDir = temporaryFolder();
    const child = spawn(process.execPath, ["--max-old-space-size=48", fixture("large-records.mjs"), outputDir], {
      stdio: "inherit",
    });
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
    expect(statSync(join(outputDir, "records.jsonl")).size).toBeGreaterThan(150_000_000);
  });
});

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 20_000 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(condition()).toBe(true);
}
