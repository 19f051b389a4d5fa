// bench/results/latest.json: the newest figures of each benchmark, with the day and the machine. The documentation shows it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem, type } from "node:os";
import { dirname, join } from "node:path";
import { root } from "./ensure.mjs";

const latest = join(root, "bench", "results", "latest.json");

/** Replaces older figures of the same benchmark; the others stay, with their date. */
export function saveResults(results, { file = latest, now = new Date() } = {}) {
  const names = [...new Set(results.map(({ bench }) => bench))];
  const fresh = names.map((name) => ({
    bench: name,
    date: now.toISOString().slice(0, 10),
    machine: thisMachine(),
    rows: results.filter(({ bench }) => bench === name).map(({ bench: _name, ...row }) => row),
  }));
  const older = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  const kept = older.filter(({ bench }) => !fresh.some((entry) => entry.bench === bench));
  const all = [...kept, ...fresh].sort((a, b) => (a.bench < b.bench ? -1 : 1));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
  return file;
}

/** The properties of a machine that affect figures; nothing that identifies it. */
function thisMachine() {
  const [cpu] = cpus();
  return {
    cpu: cpu?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: type(),
    node: process.version,
  };
}
