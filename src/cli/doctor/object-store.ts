import { openObjectStore } from "../../object-store/object-store.ts";
import { probeObjectStore } from "../../object-store/probe-object-store.ts";
import { parseS3Address } from "../../object-store/s3-address.ts";
import type { Finding } from "./finding.ts";

// A store that does not answer is reported soon; one that is busy is asked again.
const maxTries = 4;

/** Checks whether an object store can hold a run. */
export async function* checkObjectStore(address: string, timeoutMs: number): AsyncGenerator<Finding> {
  const { bucket, key } = parseS3Address(address);
  const store = openObjectStore(bucket, { timeoutMs, maxTries });
  let isSafe = true;
  for await (const finding of probeObjectStore(store, key)) {
    isSafe &&= finding.state !== "wrong";
    yield finding;
  }
  const { writes, lists, reads } = store.counts;
  const detail = `${writes} writes, ${lists} lists and ${reads} reads were sent`;
  if (isSafe) yield { state: "fine", what: "verdict", detail: `this store can hold runs; ${detail}` };
  else yield { state: "wrong", what: "verdict", detail: `no run may use this store; ${detail}`, hint: "See above." };
}
