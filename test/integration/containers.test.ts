import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { because } from "../support/clusters/why-not.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const job = fileURLToPath(new URL("../fixtures/children/slow-job.mjs", import.meta.url));
// As containers of one image have them: the same host name, and process ids that begin at 1.
const unshare = ["--uts", "--pid", "--fork", "--kill-child", "--mount-proc"];
const shards = 4;

function whyNoNamespaces(): string | undefined {
  const { error, status, stderr } = spawnSync("unshare", [...unshare, "true"], { encoding: "utf8" });
  if (error !== undefined) return `unshare cannot be started: ${error.message}`;
  return status === 0 ? undefined : `namespaces cannot be made here: ${stderr.trim()}`;
}

function startContainer(
  dir: string,
  itemMs: number,
): { readonly child: ChildProcess; readonly ended: Promise<string> } {
  const script = 'hostname box && exec "$0" "$@"';
  const args = [...unshare, "sh", "-c", script, process.execPath, job, dir, String(itemMs), String(shards)];
  const child = spawn("unshare", args, { stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (text) => (stderr += text));
  return {
    child,
    ended: new Promise((resolve) => child.on("close", (code) => resolve(`${code ?? "killed"} ${stderr}`))),
  };
}

function attemptsOf(dir: string): number[] {
  return Array.from({ length: shards }, (_, id) => {
    const { attempt } = JSON.parse(readFileSync(join(dir, `split.${id}`, "done"), "utf8")) as { attempt: number };
    return attempt;
  });
}

const leases = (dir: string) => {
  const folder = join(dir, ".millrace", "leases");
  return existsSync(folder) ? readdirSync(folder).filter((name) => /^\d/.test(name)) : [];
};

async function waitFor(condition: () => boolean): Promise<void> {
  for (const untilMs = Date.now() + 60_000; !condition(); ) {
    if (Date.now() > untilMs) throw new Error("not so after a minute");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const reason = whyNoNamespaces();

describe.runIf(reason === undefined)(`containers with one host name and the same process ids${because(reason)}`, () => {
  it("take no attempt from each other's living workers, whose items outlast their leases", {
    timeout: 120_000,
  }, async () => {
    const dir = temporaryFolder();
    const both = [startContainer(dir, 3000), startContainer(dir, 3000)];
    expect(await Promise.all(both.map(({ ended }) => ended))).toEqual(["0 ", "0 "]);
    expect(attemptsOf(dir)).toEqual([1, 1, 1, 1]);
  });

  it("take the attempts of one that was killed once its lease has ended", { timeout: 120_000 }, async () => {
    const dir = temporaryFolder();
    const first = startContainer(dir, 1000);
    await waitFor(() => leases(dir).length > 0);
    first.child.kill("SIGKILL");
    await first.ended;
    const beganMs = Date.now();
    expect(await startContainer(dir, 1000).ended).toBe("0 ");
    expect(attemptsOf(dir).some((attempt) => attempt > 1)).toBe(true);
    // Four items of a second, and the life of a lease. A busy machine is slow.
    expect(Date.now() - beganMs).toBeLessThan(60_000);
  });
});
