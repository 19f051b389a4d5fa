import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runPaths } from "../../../../src/run-folder/files/run-paths.ts";
import { growTtl } from "../../../../src/run-folder/lease/grown-ttl.ts";
import { isHeld, judgeHolder, type Lease, parseLease } from "../../../../src/run-folder/lease/lease.ts";
import { identify } from "../../../../src/runtime/process-identity.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const mine: Lease = { worker: "w-1", ttlMs: 1000, ...identify() };
const text = JSON.stringify(mine);
// Linux gives no process a number as high as this.
const gone = JSON.stringify({ ...mine, pid: 2 ** 30 });

describe("a lease", () => {
  it("is held while it is young and its process lives", () => {
    expect(isHeld({ text, ageMs: 1000 }, { ttlMs: 5 })).toBe(true);
  });

  it("is not held when it is older than it says itself", () => {
    expect(isHeld({ text, ageMs: 1001 }, { ttlMs: 60_000 })).toBe(false);
  });

  it("is not held when its process is gone, however young it is", () => {
    expect(isHeld({ text: gone, ageMs: 0 }, { ttlMs: 60_000 })).toBe(false);
  });

  it("is held when its process has ended on a host that cannot be asked", () => {
    const elsewhere = JSON.stringify({ ...mine, host: "other", pid: 2 ** 30 });
    expect(isHeld({ text: elsewhere, ageMs: 0 }, { ttlMs: 60_000 })).toBe(true);
  });

  it("asks the judge's own check where there is one", () => {
    const asked: string[] = [];
    const isDead = (holder: Lease) => asked.push(holder.worker) > 0;
    expect(isHeld({ text, ageMs: 0 }, { ttlMs: 5, isDead })).toBe(false);
    expect(asked).toEqual(["w-1"]);
  });

  it.each(["", "{", text.slice(0, 20), "null", "[]", "5", '{"worker":"w"}'])(
    "that is torn (%j) is held by its age alone",
    (torn) => {
      expect(isHeld({ text: torn, ageMs: 100 }, { ttlMs: 100 })).toBe(true);
      expect(isHeld({ text: torn, ageMs: 101 }, { ttlMs: 100 })).toBe(false);
    },
  );

  it("is read with the blanks that fill its file", () => {
    expect(parseLease(`${text}${" ".repeat(200)}\n`)).toEqual(mine);
  });
});

describe("judgeHolder, on a file system of several hosts", () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  // Everything is as on this host, but no such process is here.
  const dead: Lease = { ...identify(), pid, began: "1", worker: "w", ttlMs: 3000 };
  const elsewhere: Lease = { ...dead, host: "other|boot|pid:[1]" };
  const judge = (lease: Lease, snapshot: { readonly ageMs: number; readonly unchangedMs?: number }) =>
    judgeHolder({ text: JSON.stringify(lease), ...snapshot }, { ttlMs: 3000 });

  it("waits for a heartbeat of a process that is not here: the host may have a twin", () => {
    expect(judge(dead, { ageMs: 0, unchangedMs: 0 })).toBe("held");
    expect(judge(dead, { ageMs: 2000, unchangedMs: 900 })).toBe("held");
    expect(judge(dead, { ageMs: 0, unchangedMs: 1100 })).toBe("gone");
  });

  it("knows at once on a local file system that a process is dead", () => {
    expect(judge(dead, { ageMs: 0 })).toBe("gone");
  });

  it("believes an old age only after it has watched the lease for two of its lives", () => {
    expect(judge(elsewhere, { ageMs: 100_000, unchangedMs: 5900 })).toBe("held");
    expect(judge(elsewhere, { ageMs: 100_000, unchangedMs: 6100 })).toBe("gone");
    expect(judge(elsewhere, { ageMs: 100, unchangedMs: 6100 })).toBe("held");
    expect(judge(elsewhere, { ageMs: 3100 })).toBe("gone");
  });

  it("believes a supervisor that saw its worker end", () => {
    const text = JSON.stringify(elsewhere);
    expect(judgeHolder({ text, ageMs: 0, unchangedMs: 0 }, { ttlMs: 3000, isDead: () => true })).toBe("gone");
  });
});

describe("growTtl", () => {
  it("doubles the life of leases up to ten minutes, and keeps the longest", () => {
    const paths = runPaths(temporaryFolder());
    mkdirSync(paths.machinery);
    expect(growTtl(paths, 15_000)).toBe(30_000);
    expect(JSON.parse(readFileSync(paths.leaseTtl, "utf8"))).toEqual({ ttlMs: 30_000 });
    expect(growTtl(paths, 500_000)).toBe(600_000);
    expect(growTtl(paths, 3_600_000)).toBe(3_600_000);
  });
});
