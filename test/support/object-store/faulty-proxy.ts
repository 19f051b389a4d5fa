import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../seeded-random.ts";
import type { StoreAddress } from "./store-address.ts";

/** What the proxy does to a request instead of handing it on and its answer back. */
export const faults = [
  "loses-the-request",
  "loses-the-answer",
  "delays",
  "duplicates",
  "repeats-later",
  "503",
  "500-after-it-was-done",
  "409",
  "cuts-the-answer",
] as const;
export type Fault = (typeof faults)[number];

export interface FaultyProxyOptions {
  readonly seed: number;
  /** How likely each of them is for a request. Default: 0.03. */
  readonly rate?: number;
  /** Which there are. Default: all. */
  readonly of?: readonly Fault[];
  /** Decides instead of chance. */
  readonly choose?: (request: {
    readonly method: string;
    readonly path: string;
    readonly count: number;
  }) => Fault | undefined;
}

export interface FaultyProxy {
  readonly address: StoreAddress;
  /** How often each fault was made. */
  readonly made: Readonly<Partial<Record<Fault, number>>>;
  /** "METHOD path?query" of each request that came. */
  readonly requests: readonly string[];
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

/** Starts a server before a store that fails as networks and stores do, by a seed. */
export async function startFaultyProxy(
  store: StoreAddress,
  { seed, rate = 0.03, of = faults, choose }: FaultyProxyOptions,
): Promise<FaultyProxy> {
  const random = seededRandom(seed);
  const made: Partial<Record<Fault, number>> = {};
  const requests: string[] = [];
  const later = new Set<Promise<unknown>>();
  const draw = (method: string, path: string): Fault | undefined => {
    if (choose !== undefined) return choose({ method, path, count: requests.length });
    const at = Math.floor(random() / rate);
    return of[at];
  };
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "GET", url = "/" } = incoming;
    requests.push(`${method} ${url}`);
    const fault = draw(method, url);
    const body = await buffer(incoming);
    const forward = () => handOn(store, incoming, body);
    if (fault !== undefined) made[fault] = (made[fault] ?? 0) + 1;
    const pauseMs = 5 + 200 * random();
    switch (fault) {
      case "loses-the-request":
        return void incoming.socket.destroy();
      case "loses-the-answer":
        await forward();
        return void incoming.socket.destroy();
      case "delays":
        await sleep(pauseMs);
        return send(response, await forward());
      case "duplicates":
        await forward();
        return send(response, await forward());
      case "repeats-later": {
        const answer = await forward();
        later.add(
          sleep(pauseMs)
            .then(forward)
            .catch(() => {}),
        );
        return send(response, answer);
      }
      case "503":
        return send(response, failure(503, "SlowDown"));
      case "409":
        // As AWS answers a conditional write that meets another one.
        if (incoming.headers["if-none-match"] !== "*") return send(response, await forward());
        return send(response, failure(409, "ConditionalRequestConflict"));
      case "500-after-it-was-done":
        await forward();
        return send(response, failure(500, "InternalError"));
      case "cuts-the-answer": {
        const answer = await forward();
        response.writeHead(answer.status, plainHeaders(answer));
        response.write(answer.body.subarray(0, answer.body.length / 2), () => response.destroy());
        return;
      }
      default:
        return send(response, await forward());
    }
  };
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => incoming.socket.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    address: { ...store, endpoint },
    made,
    requests,
    async stop() {
      await Promise.all(later);
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The request as it came: its signature covers the name of the host that the client asked. */
async function handOn(store: StoreAddress, { method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
  const { hostname, port } = new URL(store.endpoint);
  const outgoing = request({ hostname, port, method, path: url, headers: { ...headers, connection: "close" } });
  outgoing.end(body);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: answer.statusCode!, headers: answer.headers, body: await buffer(answer) };
}

function send(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, plainHeaders(answer)).end(answer.body);
}

function plainHeaders({ headers }: Answer): NodeJS.Dict<string | string[]> {
  const { connection: _connection, "transfer-encoding": _encoding, "keep-alive": _alive, ...rest } = headers;
  return rest;
}

function failure(status: number, code: string): Answer {
  const body = Buffer.from(`<Error><Code>${code}</Code><Message>made by the proxy</Message></Error>`);
  return { status, headers: { date: new Date().toUTCString(), "content-length": String(body.length) }, body };
}
