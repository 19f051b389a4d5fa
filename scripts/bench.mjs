// npm run bench: every benchmark, or those named. Prints a table and saves it in bench/results/latest.json, the source
// of the figures in the documentation; --json prints one JSON line instead and saves nothing.
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { writeBenchmarkPage } from "./docs/benchmark-page.mjs";
import { ensureBuilt, ensureInstalled, root } from "./ensure.mjs";
import { saveResults } from "./save-results.mjs";

const words = process.argv.slice(2);
const isJson = words.includes("--json");
const wanted = words.filter((word) => !word.startsWith("--"));
ensureInstalled();
ensureBuilt();

const results = [];
for (const file of readdirSync(join(root, "bench"))
  .filter((name) => name.endsWith(".bench.mjs"))
  .sort()) {
  const name = file.replace(".bench.mjs", "");
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const { bench } = await import(pathToFileURL(join(root, "bench", file)).href);
  if (!isJson) console.log(`\n${name}`);
  for (const row of await bench()) {
    results.push({ bench: name, ...row });
    if (!isJson)
      console.log(
        `  ${row.what.padEnd(62)} ${String(row.value).padStart(9)} ${row.unit.padEnd(6)} limit ${row.limit}${row.holds ? "" : "   ABOVE"}`,
      );
  }
}
if (isJson) console.log(JSON.stringify(results));
else if (results.length > 0) {
  console.log(`\nkept in ${relative(process.cwd(), saveResults(results))} and shown in docs/benchmarks.md`);
  writeBenchmarkPage();
}
