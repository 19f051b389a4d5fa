// The same run at home and on a cluster: what differs stands in slurm.yaml alone.
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import { BaseRunner, EnvironmentProvider, isMainModule, loadConfig, range, setParallel } from "millrace";

export class PrimeProvider extends EnvironmentProvider {
  static module = import.meta.url;

  /** Built once in every worker of every job. */
  buildEnvLocal() {
    return { size: this.config.numbers_per_item, host: hostname() };
  }
}

export class PrimeRunner extends BaseRunner {
  static module = import.meta.url;

  static forward(idx, { size, host }) {
    let primes = 0;
    for (let n = idx * size; n < (idx + 1) * size; n++) if (isPrime(n)) primes++;
    return { from: idx * size, primes, host };
  }
}

function isPrime(n) {
  if (n < 2) return false;
  for (let d = 2; d * d <= n; d++) if (n % d === 0) return false;
  return true;
}

// Words on the command line change the config: node main.mjs items=10 parallel.n_workers=40
if (isMainModule(import.meta.url)) {
  const config = await loadConfig(fileURLToPath(new URL("slurm.yaml", import.meta.url)), process.argv.slice(2));
  setParallel(config.parallel);
  const provider = new PrimeProvider({ numbers_per_item: config.numbers_per_item });
  const runner = new PrimeRunner(provider, { outputDir: config.output_dir, mergeFiles: true });
  const records = await runner.run(range(config.items));
  const primes = records.reduce((sum, record) => sum + record.primes, 0);
  const hosts = new Set(records.map(({ host }) => host));
  console.log(
    `${primes} primes below ${config.items * config.numbers_per_item}, counted on ${[...hosts].sort().join(", ")}`,
  );
}
