import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { because } from "../support/clusters/why-not.ts";
import {
  type Adversary,
  type AdversaryKeys,
  mountAdversary,
  whyNoAdversary,
} from "../support/file-systems/adversary.ts";
import { startDriverOn } from "../support/file-systems/shared-run.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const millrace = fileURLToPath(new URL("../../dist/cli/millrace.js", import.meta.url));
const reason = whyNoAdversary();
const run = { env: "process", workers: 2, shards: 4, items: 40, itemMs: 1 } as const;

async function mounted(keys: AdversaryKeys): Promise<Adversary> {
  const place = temporaryFolder();
  const [backing, mount] = [join(place, "server"), join(place, "mount")];
  for (const folder of [backing, mount]) mkdirSync(folder);
  const adversary = await mountAdversary(backing, mount, keys);
  onTestFinished(() => adversary.unmount());
  return adversary;
}

function doctor(folder: string) {
  const { status, stdout } = spawnSync(process.execPath, [millrace, "doctor", folder, "--json"], { encoding: "utf8" });
  const findings = JSON.parse(stdout) as { state: string; what: string; detail: string }[];
  const of = (state: string) => findings.filter((finding) => finding.state === state).map(({ what }) => what);
  return { status, of, detail: (what: string) => findings.find((finding) => finding.what === what)?.detail };
}

describe.runIf(reason === undefined)(`a file system that cannot hold a run${because(reason)}`, () => {
  it.each<[AdversaryKeys, RegExp, string]>([
    [{ rename_folder: "EXDEV" }, /rename of a folder failed \(EXDEV\)/, "rename a folder"],
    [{ rename_folder: "EOPNOTSUPP" }, /rename of a folder failed \((ENOTSUP|EOPNOTSUPP)\)/, "rename a folder"],
    [{ exclusive: "EACCES" }, /creating a file exclusively failed \(EACCES\)/, "create a file once"],
  ])("is refused before anything is computed: %j", async (keys, why, ability) => {
    const { mount } = await mounted(keys);
    const { code, stderr } = await startDriverOn(undefined, join(mount, "run"), run).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/STORE_UNFIT/);
    expect(stderr).toMatch(why);
    expect(stderr).toContain(`(fuse.adversary, mounted at ${mount}) cannot hold a run`);
    expect(stderr).toContain("-> Choose an outputDir on another file system");
    expect(readdirSync(join(mount, "run"))).toEqual([".millrace"]);
    expect(readdirSync(join(mount, "run", ".millrace")).sort()).toEqual(["attempts", "leases", "workers"]);
    const { status, of, detail } = doctor(mount);
    expect(status).toBe(1);
    expect(of("wrong")).toEqual([ability, "verdict"]);
    expect(detail("verdict")).toBe("no run can use this folder");
    expect(readdirSync(mount)).toEqual(["run"]);
  });
});

describe.runIf(reason === undefined)(`a file system that is only slow or odd${because(reason)}`, () => {
  it.each<[AdversaryKeys, readonly string[]]>([
    [{}, []],
    [{ link: "EXDEV" }, ["hard links"]],
    [{ move_open: "EBUSY" }, ["rename a folder with an open file"]],
    [{ server_ahead: 90, mtime_grain: 2 }, ["clock"]],
    [{ delay_low_ms: 4, delay_high_ms: 6 }, ["speed"]],
    [{ lost: 0.3, lost_on: "mkdir,rename,unlink,create,rmdir" }, []],
  ])("is found fit, and what it lacks is said: %j", async (keys, notes) => {
    const { mount } = await mounted(keys);
    const { status, of, detail } = doctor(mount);
    expect({ status, wrong: of("wrong") }).toEqual({ status: 0, wrong: [] });
    expect(of("note")).toEqual(expect.arrayContaining([...notes]));
    expect(detail("file system")).toBe(`fuse.adversary, mounted at ${mount}; other hosts may use it too`);
    expect(readdirSync(mount)).toEqual([]);
  });

  it("is asked with some sixty calls, by a new run alone", async () => {
    const adversary = await mounted({ delay_low_ms: 0 });
    const calls = async () => Object.values(await adversary.counts()).reduce((sum, count) => sum + count, 0);
    const { probeFileSystem } = await import("../../src/run-folder/files/probe-file-system.ts");
    const before = await calls();
    probeFileSystem(adversary.mount, { neededOnly: true });
    expect((await calls()) - before).toBeLessThan(70);
    const folder = join(adversary.mount, "run");
    expect((await startDriverOn(undefined, folder, run).ended).code).toBe(0);
    // A complete run is only looked at: what it cannot do any more does not matter to it.
    adversary.set({ rename_folder: "EXDEV" });
    expect((await startDriverOn(undefined, folder, run).ended).code).toBe(0);
  });
});
