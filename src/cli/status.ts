import { formatCount, formatDuration } from "../drive/progress-line.ts";
import { showProgress } from "../drive/show-progress.ts";
import { sleep } from "../shared/sleep.ts";
import { openStatus, type RunStatus } from "../store/run-status.ts";
import { type Command, exitCode } from "./command.ts";

export const status: Command = {
  name: "status",
  usage: "RUN [--watch] [--json]",
  summary: "Shows how the run in the folder RUN stands, from any host that sees the folder.",
  options: {
    watch: { type: "boolean", short: "w", help: "go on showing until nobody works on it any more" },
    json: { type: "boolean", help: "one JSON object (with --watch: one a line, every second)" },
  },
  examples: ["millrace status exp/prep", "millrace status exp/prep --json", "millrace status exp/prep --watch"],
  arguments: { least: 1, most: 1 },
  async run({ positionals: [runDir], has }) {
    const reader = await openStatus(runDir!);
    let now = await reader.read();
    const print = () => process.stdout.write(has("json") ? `${JSON.stringify(now)}\n` : describeRun(now));
    if (!has("watch")) {
      print();
      return exitCode.ok;
    }
    const display = has("json") ? undefined : showProgress(runDir!, now.runDir, { afterMs: 0 });
    while (now.state === "running") {
      if (has("json")) print();
      await sleep(1000);
      now = await reader.read();
    }
    await display?.stop();
    print();
    return exitCode.ok;
  },
};

/** A status in words, a few lines. */
export function describeRun({ runDir, state, items, shards, workers, itemsPerSecond, etaSeconds }: RunStatus): string {
  const odd = [
    items.dropped > 0 ? `, ${formatCount(items.dropped)} dropped` : "",
    items.failed > 0 ? `, ${formatCount(items.failed)} failed` : "",
  ].join("");
  const damaged = shards.damaged > 0 ? `, ${shards.damaged} damaged` : "";
  const pace = itemsPerSecond > 0 ? `, ${formatCount(itemsPerSecond)} items/s` : "";
  const left = etaSeconds === undefined || items.done === items.total ? "" : `, ${formatDuration(etaSeconds)} left`;
  return [
    `${runDir}: ${state}`,
    `  items    ${formatCount(items.done)} of ${formatCount(items.total)}${odd}`,
    `  shards   ${formatCount(shards.committed)} of ${formatCount(shards.total)} committed${damaged}`,
    `  workers  ${workers.length}${pace}${left}`,
    ...workers.map(
      ({ host, pid, shard, position }) =>
        `    ${host}:${pid} ${shard === undefined ? "between shards" : `at item ${formatCount(position)} of split.${shard}`}`,
    ),
    "",
  ].join("\n");
}
