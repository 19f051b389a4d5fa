import type { Command } from "./command.ts";

/** The commands, in the order of a run's life. Only the requested one is loaded, so that help is fast. */
export const commands: Readonly<Record<string, { readonly summary: string; readonly load: () => Promise<Command> }>> = {
  init: { summary: "make a small project that runs as it is", load: async () => (await import("./init.ts")).init },
  doctor: { summary: "check that everything is in place", load: async () => (await import("./doctor.ts")).doctor },
  plan: { summary: "show what would run; start nothing", load: async () => (await import("./plan.ts")).plan },
  run: { summary: "run what a config describes", load: async () => (await import("./run.ts")).run },
  xvector: { summary: "extract speaker embeddings", load: async () => (await import("./xvector.ts")).xvector },
  status: { summary: "show the state of a run", load: async () => (await import("./status.ts")).status },
  attach: { summary: "watch a run until it is complete", load: async () => (await import("./attach.ts")).attach },
  dashboard: {
    summary: "watch runs in a browser",
    load: async () => (await import("./dashboard.ts")).dashboard,
  },
  logs: { summary: "show what the workers wrote", load: async () => (await import("./logs.ts")).logs },
  failures: {
    summary: "show which items failed, and why",
    load: async () => (await import("./failures.ts")).failures,
  },
  report: { summary: "keep a run as one HTML file", load: async () => (await import("./report.ts")).report },
  worker: { summary: "join a run as one more worker", load: async () => (await import("./worker.ts")).worker },
  cancel: { summary: "stop all workers of a run", load: async () => (await import("./cancel.ts")).cancel },
  retry: { summary: "run failed items again", load: async () => (await import("./retry.ts")).retry },
  merge: { summary: "merge a run whose shards are committed", load: async () => (await import("./merge.ts")).merge },
  verify: { summary: "compare outputs with their digests", load: async () => (await import("./verify.ts")).verify },
  gc: { summary: "remove what a run no longer needs", load: async () => (await import("./gc.ts")).gc },
  list: { summary: "list the runs below a folder", load: async () => (await import("./list.ts")).list },
  explain: { summary: "explain an error code", load: async () => (await import("./explain.ts")).explain },
  completion: {
    summary: "complete commands in bash, zsh or fish",
    load: async () => (await import("./completion.ts")).completion,
  },
};
