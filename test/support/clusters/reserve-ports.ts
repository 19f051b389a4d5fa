import { randomInt } from "node:crypto";
import { createServer, type ListenOptions, type Server } from "node:net";

/** Ports that no other test of this machine takes. */
export interface ReservedPorts {
  readonly ports: readonly number[];
  release(): void;
}

// Below those that the kernel gives to outgoing connections.
const lowest = 20_000;
const highest = 32_000;

/**
 * Finds free ports and keeps other tests away from them until they are released. A port that is merely free could be
 * taken by another test file before the daemon listens, or while a killed daemon is to come back to it.
 */
export async function reservePorts(count: number): Promise<ReservedPorts> {
  const found = new Map<number, Server>();
  for (let attempt = 0; found.size < count; attempt++) {
    if (attempt > 100 * count) throw new Error(`no ${count} free ports between ${lowest} and ${highest}`);
    const port = randomInt(lowest, highest);
    // The kernel forgets a name of this kind with the process that has it.
    const mark = await tryToListen({ path: `\0millrace-test-port-${port}` });
    if (mark === undefined) continue;
    const listening = await tryToListen({ host: "0.0.0.0", port });
    if (listening === undefined) {
      mark.close();
      continue;
    }
    await new Promise((resolve) => listening.close(resolve));
    mark.unref();
    found.set(port, mark);
  }
  return {
    ports: [...found.keys()],
    release: () => {
      for (const mark of found.values()) mark.close();
    },
  };
}

function tryToListen(options: ListenOptions): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(options, () => resolve(server));
  });
}
