import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { identify, isKnownDead } from "../../../../src/run-folder/lease/process-identity.ts";

describe("isKnownDead", () => {
  it("says no to this process", () => {
    expect(isKnownDead(identify())).toBe(false);
  });

  it("says no to this process where its beginning is not known", () => {
    expect(isKnownDead({ ...identify(), began: "" })).toBe(false);
  });

  it("says no to another process that lives", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child, "spawn");
    expect(isKnownDead({ ...identify(), pid: child.pid!, began: "" })).toBe(false);
  });

  it("says yes to a process that has ended", () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    expect(isKnownDead({ ...identify(), pid, began: "1" })).toBe(true);
  });

  it("says yes to a process whose number was given to another one", () => {
    expect(isKnownDead({ ...identify(), began: "1" })).toBe(true);
  });

  it("says no to a process of another host, whatever its number", () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    expect(isKnownDead({ host: "elsewhere|boot|pid", pid, began: "1" })).toBe(false);
  });

  it("says no to a process of this host before it was booted again", () => {
    const [name, , namespace] = identify().host.split("|");
    expect(isKnownDead({ host: `${name}|other-boot|${namespace}`, pid: 2 ** 30, began: "1" })).toBe(false);
  });
});

describe("identify", () => {
  it("is the same at every call", () => {
    expect(identify()).toEqual(identify());
    expect(identify().pid).toBe(process.pid);
  });

  it.runIf(process.platform === "linux")("knows when it began", () => {
    expect(identify().began).toMatch(/^\d+$/);
  });
});
