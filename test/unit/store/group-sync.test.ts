import { describe, expect, it, vi } from "vitest";
import { GroupSync, whenSynced } from "../../../src/store/group-sync.ts";

const flushed = vi.hoisted(() => [] as string[]);
vi.mock("node:fs", async (importActual) => {
  const paths = new Map<number, string>();
  return {
    ...(await importActual<object>()),
    open: (path: string, _flags: string, then: (error: null, fd: number) => void) => {
      paths.set(paths.size, path);
      setImmediate(then, null, paths.size - 1);
    },
    fsync: (fd: number, then: () => void) => {
      flushed.push(paths.get(fd)!);
      setImmediate(then);
    },
    close: (_fd: number, then: () => void) => setImmediate(then),
  };
});

const names = (count: number) => Array.from({ length: count }, (_, i) => `file-${i}`);

describe("GroupSync", () => {
  it("flushes everything that was added once it is through", async () => {
    flushed.length = 0;
    const sync = new GroupSync("run", 0);
    sync.add(["a", "b"]);
    sync.poke();
    sync.add(["c"]);
    await sync.finish();
    expect(flushed.sort()).toEqual(["a", "b", "c", "run", "run"]);
  });

  it("keeps what comes while a group is under way for the next one", async () => {
    flushed.length = 0;
    const sync = new GroupSync("run", 0);
    sync.add(["a"]);
    sync.poke();
    sync.add(["b"]);
    sync.poke();
    await vi.waitFor(() => expect(flushed).toEqual(["a", "run"]));
    await whenSynced();
    await vi.waitFor(() => {
      sync.poke();
      expect(flushed).toEqual(["a", "run", "b", "run"]);
    });
  });

  it("leaves the oldest to the operating system where files come faster than the disk takes them", async () => {
    flushed.length = 0;
    const sync = new GroupSync("run");
    for (let shard = 0; shard < 30; shard++) sync.add(names(1000).map((name) => `${shard}/${name}`));
    await sync.finish();
    expect(flushed.length).toBeGreaterThanOrEqual(5000);
    expect(flushed.length).toBeLessThanOrEqual(10_001);
    expect(flushed.slice(-2)).toEqual(["29/file-999", "run"]);
  });
});
