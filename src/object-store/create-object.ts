import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isMillraceError, MillraceError } from "../errors/errors.ts";
import { type ObjectInfo, objectInfo, putIdHeader } from "./object-info.ts";
import type { RequestSender } from "./request-sender.ts";

/** What became of an attempt to create an object. */
export type Creation =
  | { readonly kind: "created" }
  /** Another request made it: `info.putId` is that request's mark, where it is one of this library. */
  | { readonly kind: "exists"; readonly info: ObjectInfo };

const maxRounds = 5;
const pauseMs = 200;

/**
 * Creates an object if there is none of this key (`If-None-Match: *`). The request carries a mark: one whose answer was
 * lost is sent again with the same mark, and "it exists" is believed only after a look at whose mark it has. A request
 * may also arrive twice without being sent twice, so that look is taken always.
 */
export async function createObject(
  sender: RequestSender,
  key: string,
  body: Uint8Array,
  { putId = randomUUID(), signal }: { readonly putId?: string; readonly signal?: AbortSignal | undefined } = {},
): Promise<Creation> {
  const headers = { "if-none-match": "*", [putIdHeader]: putId };
  for (let round = 1; ; round++) {
    let problem: MillraceError | undefined;
    try {
      const answer = await sender.ask({ method: "PUT", key, headers, body, expects: [412], signal });
      if (answer.status !== 412) return { kind: "created" };
    } catch (error) {
      // It may have been carried out all the same.
      if (!isMillraceError(error) || error.code !== "STORE_IO") throw error;
      problem = error;
    }
    const info = await lookAt(sender, key, signal).catch((error: unknown) => {
      throw problem ?? error;
    });
    if (info?.putId === putId) return { kind: "created" };
    if (info !== undefined) return { kind: "exists", info };
    if (problem !== undefined) throw problem;
    if (round >= maxRounds) throw contradiction(sender.bucket, key);
    // It was removed in between, or the store does not show yet what it has.
    await sleep(pauseMs * round, undefined, { signal });
  }
}

/** What a store says of an object; undefined where it is not there. */
export async function lookAt(
  sender: RequestSender,
  key: string,
  signal?: AbortSignal,
): Promise<ObjectInfo | undefined> {
  const { status, headers } = await sender.ask({ method: "HEAD", key, expects: [404], signal });
  return status === 404 ? undefined : objectInfo(key, headers);
}

function contradiction(bucket: string, key: string): MillraceError {
  return new MillraceError(
    "STORE_IO",
    `The object store says that s3://${bucket}/${key} exists when it is to be created, and that it does not when it is read.`,
    { hint: "This store is not consistent: `millrace doctor s3://BUCKET` says more. Choose another one." },
  );
}
