import { basename } from "./posix-path.ts";
import type { EntryName, Program } from "./program.ts";

/** A submission to the machine's scheduler. */
export interface QueueOrder {
  readonly name: string;
  readonly tasks: number;
  readonly command: readonly string[];
  /** The variable with the number of a task, and the number of the first. */
  readonly variable: string;
  readonly first: number;
}

interface QueuedTask {
  readonly id: string;
  readonly name: string;
  readonly task: number;
  readonly node: string;
  state: "pending" | "running" | "ended" | "cancelled";
  program?: Program;
}

// How long a job waits for its node.
const waitMs = 400;

/** The tasks of a machine's scheduler. */
const queues = new WeakMap<object, QueuedTask[]>();

/** The one external program of the cluster: it accepts, lists and cancels jobs, as each scheduler's own programs do. */
export function runQueueCommand(program: Program, [command, ...words]: readonly string[]): string {
  const { machine } = program;
  const tasks = queues.get(machine) ?? [];
  queues.set(machine, tasks);
  if (command === "submit") return submit(program, tasks, JSON.parse(words[0]!) as QueueOrder);
  if (command === "find") return tasks.find(({ name }) => name === words[0])?.id ?? "";
  const chosen = tasks.filter(({ id }) => words.includes(id));
  if (command === "cancel") for (const task of chosen) cancel(task);
  return JSON.stringify(chosen.map(({ id, task, node, state }) => ({ id, task, node, state, detail: state })));
}

function submit(program: Program, tasks: QueuedTask[], order: QueueOrder): string {
  const { machine } = program;
  const id = String(100 + new Set(tasks.map((task) => task.id)).size);
  const [, entry, ...args] = order.command;
  for (let task = 0; task < order.tasks; task++) {
    const queued: QueuedTask = { id, name: order.name, task, node: `node${task + 1}`, state: "pending" };
    tasks.push(queued);
    machine.clock.after(waitMs + task * 10, () => {
      if (queued.state !== "pending") return;
      queued.state = "running";
      queued.program = machine.start({
        entry: basename(entry!).replace(/\.js$/, "") as EntryName,
        args,
        host: queued.node,
        cwd: program.cwd,
        env: { [order.variable]: String(order.first + task) },
      });
      queued.program.onEnd = () => {
        queued.state = "ended";
      };
    });
  }
  return id;
}

function cancel(task: QueuedTask): void {
  if (task.program?.isAlive) task.program.machine.signal(task.program.pid, "SIGTERM");
  else task.state = "cancelled";
}
