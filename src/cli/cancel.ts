import { sleep } from "../shared/sleep.ts";
import { runPaths } from "../store/run-paths.ts";
import { openStatus } from "../store/run-status.ts";
import { orderStop } from "../store/stop-order.ts";
import { type Command, exitCode } from "./command.ts";

const lookEveryMs = 200;

export const cancel: Command = {
  name: "cancel",
  usage: "RUN [--no-wait]",
  summary: "Has everyone at work on a run, on any host, save, give their shards back and leave.",
  details: "What is done is kept: start the run again and it goes on.",
  options: { "no-wait": { type: "boolean", help: "do not wait until they have left" } },
  examples: ["millrace cancel exp/prep", "millrace cancel exp/prep --no-wait"],
  arguments: { least: 1, most: 1 },
  async run({ positionals: [runDir], has }) {
    const reader = await openStatus(runDir!);
    let now = await reader.read();
    if (now.state === "complete") {
      process.stderr.write(`millrace: ${now.runDir} is complete\n`);
      return exitCode.ok;
    }
    orderStop(runPaths(runDir!));
    while (now.state === "running" && !has("no-wait")) {
      await sleep(lookEveryMs);
      now = await reader.read();
    }
    const { done, total } = now.items;
    process.stderr.write(
      `millrace: ${now.runDir} ${has("no-wait") ? "is asked to stop" : "is stopped"} at ${done} of ${total} items\n`,
    );
    return exitCode.ok;
  },
};
