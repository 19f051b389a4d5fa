import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openClusterFolder } from "../clusters/cluster-folder.ts";
import { reservePorts } from "../clusters/reserve-ports.ts";
import { startDaemon } from "../clusters/start-daemon.ts";
import { waitUntil } from "../clusters/wait-until.ts";
import { pathWithDaemons, whyNotDaemons } from "../clusters/why-not.ts";
import type { StoreAddress } from "./store-address.ts";

export interface CephGateway {
  readonly address: StoreAddress;
  /** Kills all daemons at once and removes their folder. */
  stop(): Promise<void>;
}

/** Why no Ceph can be started here, or undefined when it can. */
export function whyNotCeph(): string | undefined {
  const programs = [
    "ceph-mon",
    "ceph-mgr",
    "ceph-osd",
    "radosgw",
    "ceph",
    "ceph-authtool",
    "monmaptool",
    "radosgw-admin",
  ];
  return whyNotDaemons(programs, { needsRoot: true });
}

const keys = { accessKeyId: "TESTKEYOFCEPH", secretAccessKey: "secret-of-the-ceph-of-tests" };

/**
 * Starts a Ceph on loopback: a monitor, a manager, an object daemon that keeps all in memory, and the gateway for S3. All
 * of them are in one process namespace that ends with the tests.
 */
export async function startCeph(): Promise<CephGateway> {
  const reserved = await reservePorts(2);
  const [port, monitorPort] = reserved.ports as [number, number];
  const { path: folder, remove } = openClusterFolder("ceph");
  const config = join(folder, "ceph.conf");
  const logFile = join(folder, "start.log");
  writeFileSync(config, cephConfig(folder, port, monitorPort));
  const environment = { ...process.env, PATH: pathWithDaemons, CEPH_CONF: config };
  const command = ["sh", "-c", startScript, "sh", folder, String(monitorPort), keys.accessKeyId, keys.secretAccessKey];
  const daemon = startDaemon(command, { environment, logFile });
  const stop = async () => {
    await daemon.kill();
    reserved.release();
    await remove();
  };
  try {
    await waitUntil(() => readFileSync(logFile, "utf8").includes("the gateway is ready"), {
      what: "the gateway of Ceph",
      isHopeless: () => daemon.hasEnded(),
      details: () => readFileSync(logFile, "utf8"),
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { address: { endpoint: `http://127.0.0.1:${port}`, ...keys }, stop };
}

// Each daemon goes to the background by itself once it is up. The last line keeps the namespace.
const startScript = `
set -e
cd "$1"
mkdir mon osd mgr gateway run log
ceph-authtool --create-keyring keyring --gen-key -n mon. --cap mon 'allow *'
ceph-authtool keyring --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *'
monmaptool --create --addv a "[v1:127.0.0.1:$2]" --fsid "$(sed -n 's/^fsid = //p' ceph.conf)" monmap
ceph-mon --mkfs -i a --monmap monmap --keyring keyring
ceph-mon -i a
ceph-mgr -i x
id=$(cat /proc/sys/kernel/random/uuid)
ceph osd new "$id" 0
ceph-osd -i 0 --mkfs --osd-uuid "$id"
# Under load the monitor may not yet know the cluster that the daemon names.
for _ in 1 2 3 4 5 6 7 8 9 10; do
  if ceph-osd -i 0; then break; fi
  sleep 1
done
radosgw -n client.rgw.a
radosgw-admin -n client.rgw.a user create --uid=tests --display-name=tests --access-key="$3" --secret-key="$4"
echo the gateway is ready
exec sleep infinity
`;

function cephConfig(folder: string, port: number, monitorPort: number): string {
  return `[global]
fsid = ${crypto.randomUUID()}
mon host = [v1:127.0.0.1:${monitorPort}]
# With the second version of its protocol the gateway waits forever to be let in.
ms bind msgr2 = false
ms bind ipv6 = false
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
mon warn on pool no redundancy = false
mon allow pool size one = true
mon max pg per osd = 1000
public network = 127.0.0.0/8
run dir = ${folder}/run
admin socket = ${folder}/run/$name.asok
log file = ${folder}/log/$name.log
pid file = ${folder}/run/$name.pid
keyring = ${folder}/keyring
[mon.a]
mon data = ${folder}/mon
[osd]
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 2147483648
# One host is enough for a copy.
osd crush chooseleaf type = 0
[mgr.x]
mgr data = ${folder}/mgr
[client.rgw.a]
rgw data = ${folder}/gateway
rgw frontends = beast endpoint=127.0.0.1:${port}
rgw thread pool size = 64
`;
}
