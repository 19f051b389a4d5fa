import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type MillraceError, range, readRecords } from "millrace";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { calls, itemsCalled, SquareProvider, SquareRunner, squares } from "../fixtures/runners/squares.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const quiet = { progress: false } as const;
const run = (outputDir: string, options = {}) =>
  new SquareRunner(new SquareProvider({}), { ...quiet, outputDir, shards: 4, mergeFiles: true, ...options }).run(
    range(8),
  );

beforeEach(() => {
  calls.length = 0;
});

async function completeRun(): Promise<string> {
  const outputDir = temporaryFolder();
  await run(outputDir);
  calls.length = 0;
  return outputDir;
}

function watchStderr(): string[] {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => lines.push(String(text)) > 0);
  onTestFinished(() => spy.mockRestore());
  return lines;
}

describe("damage in a committed shard", () => {
  it.each([
    [
      "a truncated record file",
      (dir: string) => truncateSync(join(dir, "records.jsonl"), 5),
      /records\.jsonl has 5 bytes; it was committed with \d+/,
    ],
    [
      "a record file that grew",
      (dir: string) => appendFileSync(join(dir, "records.jsonl"), "x"),
      /records\.jsonl has \d+ bytes/,
    ],
    ["a missing record file", (dir: string) => rmSync(join(dir, "records.jsonl")), /records\.jsonl is not there/],
    [
      "a damaged done",
      (dir: string) => writeFileSync(join(dir, "done"), '{"version":1,'),
      /done is not a complete marker/,
    ],
    [
      "an empty done, as a power cut leaves it",
      (dir: string) => truncateSync(join(dir, "done"), 0),
      /done is not a complete marker/,
    ],
  ])("%s is named, and that shard alone is computed again", async (_name, damage, message) => {
    const outputDir = await completeRun();
    damage(join(outputDir, "split.2"));
    const said = watchStderr();
    expect(await run(outputDir)).toEqual(squares([...range(8)]));
    expect(itemsCalled()).toEqual([4, 5]);
    expect(said.filter((line) => message.test(line))).toHaveLength(1);
  });

  it("that leaves the size as it was is found when the shard is read for the merge", async () => {
    const outputDir = await completeRun();
    const file = join(outputDir, "split.2", "records.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replace("16", "61"));
    rmSync(join(outputDir, "records.jsonl"));
    await expect(run(outputDir)).rejects.toMatchObject({
      code: "SHARD_DAMAGED",
      message: expect.stringContaining(file),
    });
    rmSync(join(outputDir, "split.2", "done"));
    expect(await run(outputDir)).toEqual(squares([...range(8)]));
    expect(itemsCalled()).toEqual([4, 5]);
  });
});

describe("a run folder", () => {
  it("with a damaged manifest is refused, and nothing in it is touched", async () => {
    const outputDir = await completeRun();
    const manifest = readFileSync(join(outputDir, "manifest.json"));
    truncateSync(join(outputDir, "manifest.json"), 40);
    await expect(run(outputDir)).rejects.toMatchObject({
      code: "RUN_DAMAGED",
      message: expect.stringMatching(/manifest\.json is damaged[\s\S]*Restore that file/),
    });
    writeFileSync(join(outputDir, "manifest.json"), manifest);
    await run(outputDir);
    expect(calls).toEqual([]);
  });

  it("with a damaged list of items is refused", async () => {
    const outputDir = temporaryFolder();
    const items = Array.from({ length: 5000 }, (_, i) => (i * 7919) % 5003);
    const runner = new SquareRunner(new SquareProvider({}), { ...quiet, outputDir });
    await runner.run(items);
    const { items: stored } = JSON.parse(readFileSync(join(outputDir, "manifest.json"), "utf8"));
    writeFileSync(join(outputDir, ".millrace", stored.list.file), "short");
    await expect(runner.run(items)).rejects.toMatchObject({
      code: "RUN_DAMAGED",
      message: expect.stringContaining(stored.list.file),
    });
  });

  it("of another program is refused", async () => {
    const outputDir = temporaryFolder();
    writeFileSync(join(outputDir, "manifest.json"), '{"version": 1, "shards": []}');
    await expect(run(outputDir)).rejects.toMatchObject({
      code: "RUN_FOREIGN",
      message: expect.stringContaining("not written by millrace"),
    });
  });

  it("with shards but no manifest is refused", async () => {
    const outputDir = temporaryFolder();
    mkdirSync(join(outputDir, "split.0"));
    await expect(run(outputDir)).rejects.toMatchObject({
      code: "RUN_FOREIGN",
      message: expect.stringContaining("split.N"),
    });
    expect(await run(outputDir, { resume: false })).toHaveLength(8);
  });

  it.each([
    ["a lock", "lock", "4711"],
    ["an empty done", "done", ""],
    ["a pickled state", "_state.pkl", "\x80\x04."],
  ])("of ESPnet3, which leaves %s in a shard, is refused by its name", async (_what, file, text) => {
    const outputDir = temporaryFolder();
    mkdirSync(join(outputDir, "split.0"));
    writeFileSync(join(outputDir, "split.0", file), text);
    const refusal = { code: "RUN_FOREIGN", message: expect.stringContaining("holds a run of ESPnet3 (split.0/") };
    await expect(run(outputDir)).rejects.toMatchObject(refusal);
    writeFileSync(join(outputDir, "manifest.json"), '{"shards": [[0, 1]]}');
    await expect(run(outputDir)).rejects.toMatchObject(refusal);
  });

  it("of a newer format is refused, not misread", async () => {
    const outputDir = await completeRun();
    const manifest = readFileSync(join(outputDir, "manifest.json"), "utf8");
    writeFileSync(join(outputDir, "manifest.json"), manifest.replace('"version": 1', '"version": 2'));
    await expect(run(outputDir)).rejects.toThrow(/format version 2; this millrace reads 1/);
  });

  it("that is a file is an error that names it", async () => {
    const outputDir = join(temporaryFolder(), "file");
    writeFileSync(outputDir, "");
    await expect(run(outputDir)).rejects.toMatchObject({
      name: "MillraceError",
      message: expect.stringContaining(outputDir),
    });
  });

  it("that may not be written is an error that says what to do", async (context) => {
    // Root may write anywhere but on a file system that is mounted read-only.
    const outputDir = temporaryFolder();
    if (process.getuid?.() === 0) {
      if (!mountTmpfs(outputDir, "size=1m")) context.skip("root, and no right to mount a read-only file system");
      execFileSync("mount", ["-o", "remount,ro", outputDir]);
    } else chmodSync(outputDir, 0o500);
    await expect(run(join(outputDir, "exp"))).rejects.toMatchObject({
      code: "STORE_READ_ONLY",
      message: expect.stringMatching(/Not allowed to write .*exp[\s\S]*Choose an outputDir/),
    });
  });
});

describe("a full disk", () => {
  it("stops the run with what is committed kept, and the run continues once there is space", async (context) => {
    const disk = temporaryFolder();
    if (!mountTmpfs(disk, "size=256k")) context.skip("needs root and the right to mount a small file system");
    const outputDir = join(disk, "exp");
    const filler = join(disk, "filler");
    writeFileSync(filler, Buffer.alloc(100_000));
    const all = range(20_000);
    const runner = () => new SquareRunner(new SquareProvider({}), { ...quiet, outputDir, shards: 40 });
    const error = (await runner()
      .run(all)
      .catch((cause: unknown) => cause)) as MillraceError;
    expect(error).toMatchObject({
      code: "STORE_FULL",
      message: expect.stringMatching(/No space left to write .*exp[\s\S]*Free some space/),
    });
    const doneBefore = itemsCalled().length;
    rmSync(filler);
    execFileSync("mount", ["-o", "remount,size=16m", disk]);
    calls.length = 0;
    expect(await runner().run(all)).toEqual(squares([...all]));
    expect(itemsCalled().length).toBeLessThan(20_000 - doneBefore / 2);
  });
});

describe("a reader", () => {
  it("of truncated records gets the file and the line", async () => {
    const outputDir = await completeRun();
    const file = join(outputDir, "records.jsonl");
    truncateSync(file, readFileSync(file).length - 4);
    expect(() => [...readRecords(file)]).toThrow(/records\.jsonl, line 8, is not JSON/);
  });
});

describe("an uncaught error of a run", () => {
  it("ends a program with a message that says what to do, and the folder resumes", () => {
    const outputDir = temporaryFolder();
    const script = fileURLToPath(new URL("../fixtures/children/fails-at-item-3.mjs", import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, outputDir], { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toMatch(/forward failed at item 3: three is bad/);
    expect(stderr).toMatch(/-> Everything before it is kept/);
    expect(existsSync(join(outputDir, "split.0", "done"))).toBe(true);
  });
});

function mountTmpfs(folder: string, options: string): boolean {
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", options, "millrace-test", folder]);
  if (status !== 0) return false;
  // Lazily: the last files may still be on their way to the disk.
  onTestFinished(() => void spawnSync("umount", ["--lazy", folder]));
  return true;
}
