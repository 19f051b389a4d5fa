import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import type { TestProject } from "vitest/node";
import { openRequestSender } from "../../../src/object-store/request-sender.ts";
import { type CephGateway, startCeph } from "./ceph.ts";
import { type StoreAddress, storeVariables } from "./store-address.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The port that starts the gateway of this test run, when the first test asks for it. */
    gatewayPort: number;
  }
}

/** One gateway for all test files: it takes some 15 s to start. It is stopped with the test run, also with a killed one. */
export default async function offerGateway(project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<CephGateway> | undefined;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    starting ??= startCeph();
    starting.then(
      ({ address }) => socket.end(JSON.stringify(address)),
      (error: Error) => socket.end(JSON.stringify({ error: error.message })),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  project.provide("gatewayPort", (server.address() as AddressInfo).port);
  return async () => {
    server.close();
    await starting?.then((gateway) => gateway.stop()).catch(() => {});
  };
}

/** The gateway of this test run; `port` is what vitest injects as `gatewayPort`. */
export async function sharedGateway(port: number): Promise<StoreAddress> {
  const answer = JSON.parse(await text(connect(port, "127.0.0.1"))) as StoreAddress & { readonly error?: string };
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
}

let buckets = 0;

/** Makes an empty bucket that no other test uses. */
export async function makeBucket(store: StoreAddress, name = "tests"): Promise<string> {
  const bucket = `${name}-${process.pid}-${Math.floor(Math.random() * 1e9).toString(36)}-${buckets++}`;
  const sender = openRequestSender(bucket, { variables: storeVariables(store) });
  await sender.ask({ method: "PUT", key: "" });
  return bucket;
}
