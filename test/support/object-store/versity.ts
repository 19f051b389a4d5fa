import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openClusterFolder } from "../clusters/cluster-folder.ts";
import { reservePorts } from "../clusters/reserve-ports.ts";
import { startDaemon } from "../clusters/start-daemon.ts";
import { waitUntil } from "../clusters/wait-until.ts";
import { pathWithDaemons, whyNotDaemons } from "../clusters/why-not.ts";
import type { StoreAddress } from "./store-address.ts";

/**
 * Why no Versity gateway can be started here, or undefined when it can. It is one program without a Debian package:
 * `go install github.com/versity/versitygw/cmd/versitygw@v1.8.0`.
 */
export function whyNotVersity(): string | undefined {
  return whyNotDaemons(["versitygw"]);
}

const keys = { accessKeyId: "TESTKEYOFVERSITY", secretAccessKey: "secret-of-the-versity-of-tests" };

/** Starts a Versity gateway, which keeps its objects as files. */
export async function startVersity(): Promise<{ readonly address: StoreAddress; stop(): Promise<void> }> {
  const reserved = await reservePorts(1);
  const { path: folder, remove } = openClusterFolder("versity");
  const logFile = join(folder, "log");
  const endpoint = `http://127.0.0.1:${reserved.ports[0]}`;
  mkdirSync(join(folder, "data"));
  const environment = {
    ...process.env,
    PATH: pathWithDaemons,
    ROOT_ACCESS_KEY: keys.accessKeyId,
    ROOT_SECRET_KEY: keys.secretAccessKey,
  };
  const command = ["versitygw", "--port", `127.0.0.1:${reserved.ports[0]}`, "posix", join(folder, "data")];
  const daemon = startDaemon(command, { environment, logFile });
  await waitUntil(async () => (await fetch(endpoint)).status === 403, {
    what: "the Versity gateway",
    isHopeless: () => daemon.hasEnded(),
    details: () => readFileSync(logFile, "utf8"),
  });
  return {
    address: { endpoint, ...keys },
    async stop() {
      await daemon.kill();
      reserved.release();
      await remove();
    },
  };
}
