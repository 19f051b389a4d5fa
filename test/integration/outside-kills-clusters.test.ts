import { describe, expect, it } from "vitest";
import { startSlurm, whyNotSlurm } from "../support/clusters/slurm.ts";
import type { SlurmCluster } from "../support/clusters/slurm-cluster.ts";
import { type SshHosts, startSshd, whyNotSshd } from "../support/clusters/sshd.ts";
import { because } from "../support/clusters/why-not.ts";
import { type KillScene, type KillSite, killFromOutside, strikeProgram } from "../support/outside-kills.ts";
import { seededRandom } from "../support/seeded-random.ts";

const seed = Number(process.env["MILLRACE_SEED"] ?? Date.now() % 1_000_000);
// The long form: MILLRACE_CLUSTER_KILLS=300, or npm run soak.
const kills = Number(process.env["MILLRACE_CLUSTER_KILLS"] ?? 6);
const timeout = 1_200_000 + 10_000 * kills;

const scenes: Record<string, Pick<KillScene, "itemMs" | "buildMs" | "items" | "batchSize" | "gapMs">> = {
  "items of 20 ms": { itemMs: 20, buildMs: 0, items: 1500, gapMs: 1000 },
  "items of 200 ms in batches": { itemMs: 200, buildMs: 200, items: 120, batchSize: 3, gapMs: 1000 },
};
const chosen = Object.entries(scenes).slice(0, kills < 100 ? 1 : undefined);

async function expectNothingLost(scene: KillScene, site: KillSite): Promise<void> {
  const outcome = await killFromOutside(scene, kills, seededRandom(seed), site);
  if (kills >= 100) console.log(`${scene.env}: ${outcome.kills} kills in ${outcome.runs} runs`);
  expect(outcome).toMatchObject({ putAside: [], complaints: [], records: outcome.expected });
  expect(outcome.kills).toBeGreaterThanOrEqual(kills);
}

/** Workers and jobs are killed, tasks are cancelled and requeued as by a preemption, and a node loses its power. */
function slurmSite(cluster: SlurmCluster): KillSite {
  const running = async () => (await cluster.jobs()).filter(({ state }) => state === "RUNNING");
  const toOneTask = async (random: () => number, act: (id: string) => Promise<unknown>) => {
    const tasks = await running();
    const task = tasks[Math.floor(random() * tasks.length)];
    if (task === undefined) return 0;
    // It may have ended meanwhile.
    await act(task.id).catch(() => {});
    return 1;
  };
  return {
    environment: cluster.environment,
    async strike(folder, _driver, random) {
      const chance = random();
      if (chance < 0.5) return strikeProgram(folder, "worker-process.js", random);
      if (chance < 0.65) return strikeProgram(folder, "job-process.js", random);
      if (chance < 0.75) return toOneTask(random, (id) => cluster.ask("scancel", id));
      if (chance < 0.9) return toOneTask(random, (id) => cluster.ask("scontrol", "requeue", id));
      await cluster.stopNode("n2");
      await cluster.startNode("n2");
      return 1;
    },
    // Jobs that were cancelled are not replaced, and the run ends when none is left.
    isExpectedEnd: (stderr) => stderr.includes("have ended or were cancelled"),
  };
}

const noSlurm = whyNotSlurm();
describe
  .skipIf(noSlurm !== undefined)
  .concurrent(`a run on a real Slurm whose jobs are killed${because(noSlurm)}`, () => {
    it.for(chosen)(
      `puts no item aside and loses no record: %s (MILLRACE_SEED=${seed})`,
      { timeout },
      async ([, scene], { onTestFinished }) => {
        const cluster = await startSlurm({ settings: { ReturnToService: 2, JobRequeue: 1 } });
        onTestFinished(() => cluster.stop());
        const options = { poll_interval: 1, processes: 2 };
        await expectNothingLost({ ...scene, env: "slurm", workers: 4, options }, slurmSite(cluster));
      },
    );
  });

/** Workers and jobs are killed, and a host loses its power. */
function sshSite(hosts: SshHosts): KillSite {
  return {
    environment: process.env,
    async strike(folder, driver, random) {
      const chance = random();
      if (chance < 0.6) return strikeProgram(folder, "worker-process.js", random);
      if (chance < 0.8) return strikeProgram(folder, "job-process.js", random);
      if (chance < 0.9) return driver.kill("SIGKILL") ? 1 : 0;
      const [host] = hosts.hostNames;
      await hosts.stopHost(host!);
      await hosts.startHost(host!);
      return 1;
    },
  };
}

const noSshd = whyNotSshd();
describe.skipIf(noSshd !== undefined).concurrent(`a run over ssh whose processes are killed${because(noSshd)}`, () => {
  it.for(chosen)(
    `puts no item aside and loses no record: %s (MILLRACE_SEED=${seed})`,
    { timeout },
    async ([, scene], { onTestFinished }) => {
      const hosts = await startSshd();
      onTestFinished(() => hosts.stop());
      const options = { hosts: hosts.hostNames, ssh_arguments: hosts.options, processes: 2 };
      await expectNothingLost({ ...scene, env: "ssh", workers: 4, options }, sshSite(hosts));
    },
  );
});
