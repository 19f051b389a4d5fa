// The same run at home and on a cluster: only slurm.yaml says where its workers are.
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import { defineRun, isMainModule, loadConfig, range } from "millrace";

export const primes = defineRun(import.meta, {
  // Once in every worker of every job.
  env: ({ numbers_per_item }) => ({ size: numbers_per_item, host: hostname() }),
  forward: (idx, { size, host }) => {
    let count = 0;
    for (let n = idx * size; n < (idx + 1) * size; n++) if (isPrime(n)) count++;
    return { from: idx * size, primes: count, host };
  },
});

function isPrime(n) {
  if (n < 2) return false;
  for (let d = 2; d * d <= n; d++) if (n % d === 0) return false;
  return true;
}

// Words on the command line change the config: node main.mjs items=10 parallel.n_workers=40
if (isMainModule(import.meta)) {
  const configPath = fileURLToPath(new URL("slurm.yaml", import.meta.url));
  const { items, numbers_per_item, output_dir, parallel } = await loadConfig(configPath, process.argv.slice(2));
  const records = await primes.run(range(items), {
    config: { numbers_per_item },
    outputDir: output_dir,
    mergeFiles: true,
    parallel,
  });
  const found = records.reduce((sum, record) => sum + record.primes, 0);
  const hosts = [...new Set(records.map(({ host }) => host))].sort();
  console.log(`${found} primes below ${items * numbers_per_item}, counted on ${hosts.join(", ")}`);
}
