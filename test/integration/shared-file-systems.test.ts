import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { because } from "../support/clusters/why-not.ts";
import { type AdversaryKeys, whyNoAdversary } from "../support/file-systems/adversary.ts";
import { realFileSystems } from "../support/file-systems/real-mounts.ts";
import { driveTogether, readOutputs, readUndisturbed, type SharedRun } from "../support/file-systems/shared-run.ts";
import { startHostsOn, startTwoHosts } from "../support/file-systems/two-hosts.ts";
import { removeFolder } from "../support/remove-folder.ts";

const times = Number(process.env["MILLRACE_FILE_SYSTEM_TIMES"] ?? 1);
const small: SharedRun = { env: "local", workers: 1, shards: 16, items: 160 * times, itemMs: 8, leaseTtl: 3000 };

interface Row {
  readonly name: string;
  readonly keys: AdversaryKeys;
  /** Of the second host alone. */
  readonly second?: AdversaryKeys;
  readonly run?: Partial<SharedRun>;
}

const held: readonly Row[] = [
  { name: "with nothing wrong", keys: {}, run: { env: "process", workers: 2 } },
  {
    name: "that loses 5 % of the answers, with threads as workers",
    keys: { lost: 0.05 },
    run: { env: "thread", workers: 2 },
  },
  { name: "without hard links (EPERM)", keys: { link: "EPERM" } },
  { name: "without hard links (EXDEV), and a number for each name", keys: { link: "EXDEV", no_inodes: 1 } },
  { name: "without hard links (EIO)", keys: { link: "EIO" } },
  { name: "where a file cannot have more names (EMLINK)", keys: { link: "EMLINK" } },
  { name: "that loses 30 % of the answers", keys: { lost: 0.3 }, run: { env: "process", workers: 2 } },
  {
    name: "that fails at random",
    keys: {
      fail: 0.01,
      fail_with: "EIO,ESTALE,ETIMEDOUT,EREMOTEIO,EINTR,EBUSY",
      fail_on: "mkdir,rename,unlink,link,open,create,getattr",
    },
  },
  { name: "that fails when files are closed", keys: { close_fail: 0.05, close_with: "ESTALE" } },
  { name: "with times of 2 s, and a server clock that is ahead", keys: { mtime_grain: 2, server_ahead: 90 } },
  { name: "with hosts whose clocks differ", keys: { client_ahead: 40 }, second: { client_ahead: -40 } },
  { name: "that does not flush", keys: { fsync: "EINVAL" } },
  {
    name: "with names, attributes and lists 3 s old",
    keys: { attr_age: 3, entry_age: 3, missing_age: 3, list_age: 3 },
  },
  {
    name: "with attributes older than a lease, and items longer than one",
    keys: { stat_age: 4 },
    run: { shards: 6, items: 6, itemMs: 5000, leaseTtl: 2000 },
  },
  { name: "that is slow", keys: { delay_low_ms: 2, delay_high_ms: 10 } },
  { name: "that replaces no open file", keys: { replace_open: "EACCES" } },
  { name: "whose removed files are gone for their readers", keys: { removed: "ESTALE" } },
];

const reason = whyNoAdversary();

describe.runIf(reason === undefined).concurrent(`two hosts on one file system${because(reason)}`, () => {
  let place: string;
  const expected = new Map<string, ReturnType<typeof readUndisturbed>>();
  const undisturbed = (run: SharedRun) => {
    const key = JSON.stringify(run);
    if (!expected.has(key)) expected.set(key, readUndisturbed(mkdtempSync(join(place, "run-")), run));
    return expected.get(key)!;
  };
  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), "millrace-test-"));
  });
  afterAll(() => removeFolder(place));

  it.for(held)(
    "$name: both drivers end well, the bytes are right, nothing is left",
    async ({ keys, second, run: changes }, { onTestFinished }) => {
      const two = await startTwoHosts(keys, second);
      onTestFinished(() => two.end());
      const run = { ...small, ...changes };
      const { ends } = await driveTogether(two.hosts, "run", run);
      expect(ends).toEqual(ends.map(() => ({ code: 0, signal: null, stderr: expect.any(String) })));
      expect(readOutputs(join(two.backing, "run"))).toEqual(await undisturbed(run));
    },
  );
});

describe.concurrent("two hosts on a file system of another kind", () => {
  for (const { name, whyNot, mount } of realFileSystems) {
    const why = whyNot();
    it.skipIf(why !== undefined)(
      `${name}: both drivers end well, the bytes are right${because(why)}`,
      async (context) => {
        const two = await startHostsOn(mount);
        context.onTestFinished(() => two.end());
        const { ends } = await driveTogether(two.hosts, "run", small);
        expect(ends).toEqual(ends.map(() => ({ code: 0, signal: null, stderr: "" })));
        const place = mkdtempSync(join(two.place, "undisturbed-"));
        expect(readOutputs(join(two.backing, "run"))).toEqual(await readUndisturbed(place, small));
      },
    );
  }
});
