// Tries a run on two hosts whose file system misbehaves, and prints how it went:
//   node --import tsx test/support/file-systems/try-file-system.ts 'lost=0.3 delay_high_ms=5' ['more=keys for=the second host'] [RUN as JSON]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { driveTogether, readOutputs, readUndisturbed, type SharedRun } from "./shared-run.ts";
import { startTwoHosts } from "./two-hosts.ts";

const [keys = "", second = "", options = "{}"] = process.argv.slice(2);
const run: SharedRun = {
  env: "process",
  workers: 4,
  shards: 60,
  items: 3000,
  itemMs: 8,
  ...(JSON.parse(options) as Partial<SharedRun>),
};
const keysOf = (text: string) =>
  Object.fromEntries(
    text
      .split(/\s+/)
      .filter(Boolean)
      .map((pair) => pair.split("=")),
  );
const two = await startTwoHosts(keysOf(keys), keysOf(second));
const place = mkdtempSync(join(tmpdir(), "millrace-undisturbed-"));
try {
  const { ends, tookMs } = await driveTogether(two.hosts, "run", run);
  for (const [at, { code, signal, stderr }] of ends.entries())
    console.log(`driver ${at}: ${signal ?? `code ${code}`}${stderr === "" ? "" : `\n${stderr}`}`);
  console.log(`${(tookMs / 1000).toFixed(1)} s`);
  for (const host of two.hosts) {
    const counts = Object.entries(await host.counts()).filter(([, count]) => count > 0);
    console.log(
      host.name,
      counts.map(([kind, count]) => `${kind} ${(count / run.shards).toFixed(1)}`).join(", "),
      "a shard",
    );
  }
  if (ends.every(({ code }) => code === 0)) {
    const made = readOutputs(join(two.backing, "run"));
    const expected = await readUndisturbed(join(place, "run"), run);
    console.log(JSON.stringify(made) === JSON.stringify(expected) ? "all bytes are equal" : "THE BYTES DIFFER");
    if (made.left.length > 0) console.log("left:", made.left);
  }
} finally {
  await two.end();
  rmSync(place, { recursive: true, force: true });
}
