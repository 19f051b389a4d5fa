import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, inject, it } from "vitest";
import { because } from "../support/clusters/why-not.ts";
import { whyNotCeph } from "../support/object-store/ceph.ts";
import { type MemoryStoreOptions, startMemoryStore } from "../support/object-store/memory-store.ts";
import { makeBucket, sharedGateway } from "../support/object-store/shared-gateway.ts";
import { type StoreAddress, storeVariables } from "../support/object-store/store-address.ts";

const millrace = fileURLToPath(new URL("../../dist/cli/millrace.js", import.meta.url));

interface Line {
  readonly state: string;
  readonly what: string;
  readonly detail: string;
}

async function doctor(store: StoreAddress, place: string, ...more: string[]) {
  const env = { ...process.env, ...storeVariables(store) };
  const child = spawn(process.execPath, [millrace, "doctor", place, ...more], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { exit: child.exitCode, stdout, stderr };
}

/** What it finds in a store in memory that has this defect. */
async function findingsOf(defect: MemoryStoreOptions) {
  const store = await startMemoryStore(defect);
  const { exit, stdout } = await doctor(store.address, "s3://data/exp", "--json");
  await store.stop();
  const lines = JSON.parse(stdout) as Line[];
  const left = [...store.objects.keys()];
  return { exit, left, of: (what: string) => lines.find((line) => line.what === what)! };
}

describe("millrace doctor s3://", () => {
  const whyNot = whyNotCeph();

  it.skipIf(whyNot !== undefined)(`trusts the gateway of Ceph${because(whyNot)}`, async () => {
    const address = await sharedGateway(inject("gatewayPort"));
    const bucket = await makeBucket(address);
    const { exit, stdout, stderr } = await doctor(address, `s3://${bucket}/exp`, "--timeout", "100");
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^ok {6}object store: s3:\S+ can be written to, [\d.]+ ms a small object$/m);
    expect(stdout).toContain("ok      exclusive creates: of 64 at once one won, in each of 10 rounds\n");
    expect(stdout).toContain("ok      clean-up: nothing is left\n");
    expect(stdout).toMatch(/^ok {6}verdict: this store can hold runs; \d+ writes, \d+ lists and \d+ reads were sent$/m);
    expect(exit).toBe(0);
  });

  it("refuses a store in which two creators win", async () => {
    const { exit, left, of } = await findingsOf({ letsSeveralCreate: true });
    expect(of("exclusive creates")).toMatchObject({
      state: "wrong",
      detail: expect.stringMatching(/^in round \d+, \d+ of 64 that created the same object at once won$/),
      hint: expect.stringContaining("two workers could both own a shard"),
    });
    expect(of("verdict")).toMatchObject({
      state: "wrong",
      detail: expect.stringMatching(/^no run may use this store/),
    });
    expect([exit, left]).toEqual([1, []]);
  });

  it.each<[string, string, MemoryStoreOptions, RegExp]>([
    ["ignores If-None-Match", "exclusive creates", { ignoresConditions: true }, /64 of 64/],
    ["has no Date", "clock", { leavesOut: "date" }, /no Date/],
    ["has no Last-Modified", "clock", { leavesOut: "last-modified" }, /no Last-Modified/],
    ["loses user data", "marks of requests", { leavesOut: "x-amz-meta-millrace-put" }, /does not come back/],
  ])("refuses a store that %s", async (_how, what, defect, detail) => {
    const { exit, of } = await findingsOf(defect);
    expect(of(what)).toMatchObject({ state: "wrong", detail: expect.stringMatching(detail) });
    expect(exit).toBe(1);
  });

  it("accepts a store with late lists or another clock, and says so", async () => {
    const { exit, of } = await findingsOf({ listLagMs: 300, clockAheadMs: 3600_000 });
    expect(of("list after write")).toMatchObject({ state: "note" });
    expect(of("clock")).toMatchObject({ state: "note", detail: expect.stringMatching(/the store's is 3\d{3} s from/) });
    expect(exit).toBe(0);
  });

  it("says why a store cannot be reached", async () => {
    const gone = { endpoint: "http://127.0.0.1:1", accessKeyId: "A", secretAccessKey: "secret-of-none" };
    const { exit, stdout } = await doctor(gone, "s3://data");
    expect(stdout).toMatch(/^WRONG {3}object store: The object store failed PUT of .*\n +-> Check the endpoint/);
    expect(exit).toBe(1);
    const bad = await doctor(gone, "s3://x");
    expect(bad.stderr).toMatch(/no address of an object store/);
  });
});
