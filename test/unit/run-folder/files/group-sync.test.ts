import { describe, expect, it, vi } from "vitest";
import { GroupSync, syncSoon, whenSynced } from "../../../../src/run-folder/files/group-sync.ts";

const flushed = vi.hoisted(() => [] as string[]);
const opened = vi.hoisted(() => ({ now: 0, most: 0 }));
vi.mock("node:fs", async (importActual) => {
  const paths = new Map<number, string>();
  return {
    ...(await importActual<object>()),
    open: (path: string, _flags: string, then: (error: null, fd: number) => void) => {
      paths.set(paths.size, path);
      opened.most = Math.max(opened.most, ++opened.now);
      setImmediate(then, null, paths.size - 1);
    },
    fsync: (fd: number, then: () => void) => {
      flushed.push(paths.get(fd)!);
      setImmediate(then);
    },
    close: (_fd: number, then: () => void) => {
      opened.now--;
      setImmediate(then);
    },
  };
});

const long = Number.POSITIVE_INFINITY;
const names = (count: number) => Array.from({ length: count }, (_, i) => `file-${i}`);

describe("GroupSync", () => {
  it("flushes everything that was added when it has ended", async () => {
    flushed.length = 0;
    const sync = new GroupSync("run", 0);
    sync.add(["a", "b"], long);
    sync.startIfDue();
    sync.add(["c"], long);
    await sync.finish();
    expect(flushed.sort()).toEqual(["a", "b", "c", "run", "run"]);
  });

  it("keeps what comes while a group is under way for the next one", async () => {
    flushed.length = 0;
    const sync = new GroupSync("run", 0);
    sync.add(["a"], long);
    sync.startIfDue();
    sync.add(["b"], long);
    sync.startIfDue();
    await vi.waitFor(() => expect(flushed).toEqual(["a", "run"]));
    await whenSynced();
    await vi.waitFor(() => {
      sync.startIfDue();
      expect(flushed).toEqual(["a", "run", "b", "run"]);
    });
  });

  it("leaves the oldest to the operating system where files come faster than the disk takes them", async () => {
    flushed.length = 0;
    const sync = new GroupSync("run");
    for (let shard = 0; shard < 30; shard++)
      sync.add(
        names(1000).map((name) => `${shard}/${name}`),
        long,
      );
    await sync.finish();
    expect(flushed.length).toBeGreaterThanOrEqual(5000);
    expect(flushed.length).toBeLessThanOrEqual(10_001);
    expect(flushed.slice(-2)).toEqual(["29/file-999", "run"]);
  });

  it("leaves the files of quick shards to the operating system, and flushes them at the end", async () => {
    flushed.length = 0;
    const sync = new GroupSync("run", 0);
    sync.add(["quick"], 149);
    sync.add(["slow", "done"], 300);
    sync.startIfDue();
    await whenSynced();
    expect(flushed).toEqual(["slow", "done", "run"]);
    await sync.finish();
    expect(flushed).toEqual(["slow", "done", "run", "quick", "run"]);
  });

  it("flushes the files of quick shards when the operating system has had the time to write them", async () => {
    flushed.length = 0;
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const sync = new GroupSync("run", 0);
      sync.add(["first"], 0);
      vi.advanceTimersByTime(30_000);
      sync.add(["second"], 0);
      sync.startIfDue();
      await whenSynced();
      expect(flushed).toEqual([]);
      vi.advanceTimersByTime(10_000);
      sync.startIfDue();
      await whenSynced();
      expect(flushed).toEqual(["first", "run"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("does not remember more quick shards than it could flush", async () => {
    flushed.length = 0;
    const sync = new GroupSync("run");
    for (let shard = 0; shard < 15_000; shard++) sync.add([`${shard}`], 0);
    await sync.finish();
    expect(flushed.length).toBeLessThanOrEqual(10_001);
    expect(flushed.slice(-2)).toEqual(["14999", "run"]);
  });
});

describe("syncSoon", () => {
  it("flushes a few files at a time, however many hand theirs over", async () => {
    flushed.length = 0;
    opened.most = 0;
    for (let run = 0; run < 200; run++) syncSoon([`${run}/file`, `${run}`]);
    await whenSynced();
    expect(flushed).toHaveLength(400);
    expect(opened.most).toBeLessThanOrEqual(16);
  });

  it("leaves the oldest to the operating system where runs end faster than the disk takes their files", async () => {
    flushed.length = 0;
    let last = false;
    const first = new GroupSync("first");
    first.add(["file"], long);
    const isThrough = first.finish();
    for (let run = 0; run < 20_000; run++) syncSoon([`${run}`], () => (last = run === 19_999));
    await whenSynced();
    expect(last).toBe(true);
    // A group that is left to the operating system has ended, too.
    await isThrough;
    expect(flushed.length).toBeGreaterThanOrEqual(32);
    expect(flushed.length).toBeLessThanOrEqual(300);
    expect(flushed.at(-1)).toBe("19999");
  });

  it("keeps the files of one large run when a small group comes after them", async () => {
    flushed.length = 0;
    syncSoon(names(10_000));
    for (let i = 0; i < 20; i++) syncSoon(["manifest"]);
    await whenSynced();
    expect(flushed).toHaveLength(10_020);
  });

  it("does not remember the files of large runs without end", async () => {
    flushed.length = 0;
    for (let run = 0; run < 10; run++) syncSoon(names(10_000));
    await whenSynced();
    expect(flushed).toHaveLength(20_000);
  });
});
