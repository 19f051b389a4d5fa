import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isMillraceError, MillraceError } from "../errors/errors.ts";
import { type ObjectInfo, objectInfo, putIdHeader } from "./object-info.ts";
import type { RequestSender } from "./request-sender.ts";

/** How an attempt to create an object ended. */
export type Creation =
  | { readonly kind: "created" }
  /** Another request made it: `info.putId` is that request's mark, where it is one of this library. */
  | { readonly kind: "exists"; readonly info: ObjectInfo };

/** One request of the creation, or a pause, so that a model can play lost answers between them. */
export type CreateStep =
  /** Its answer: "unknown" where no answer came although it was sent several times, so that it may have been carried out. */
  | { readonly do: "create"; readonly key: string; readonly body: Uint8Array; readonly putId: string }
  /** Its answer: the object's info, or undefined. */
  | { readonly do: "head"; readonly key: string }
  | { readonly do: "pause"; readonly ms: number };

type Undecided = { readonly kind: "unknown" } | { readonly kind: "contradiction" };
export type CreateSteps = Generator<CreateStep, Creation | Undecided, unknown>;

const maxRounds = 5;
const pauseMs = 200;

/**
 * Creates an object if there is none of this key (`If-None-Match: *`). The request carries a mark: one whose answer was
 * lost is sent again with the same mark, and "it exists" is believed only after a look at whose mark it has. A request
 * may also arrive twice without being sent twice, so that look is taken always.
 */
export function* createSteps(key: string, body: Uint8Array, putId: string): CreateSteps {
  for (let round = 1; round <= maxRounds; round++) {
    const answer = (yield { do: "create", key, body, putId }) as "created" | "exists" | "unknown";
    if (answer === "created") return { kind: "created" };
    const info = (yield { do: "head", key }) as ObjectInfo | undefined;
    if (info?.putId === putId) return { kind: "created" };
    if (info !== undefined) return { kind: "exists", info };
    if (answer === "unknown") return { kind: "unknown" };
    // It was removed in between, or the store does not show yet what it has.
    yield { do: "pause", ms: pauseMs * round };
  }
  return { kind: "contradiction" };
}

/** Creates an object in a store. */
export async function createObject(
  sender: RequestSender,
  key: string,
  body: Uint8Array,
  { putId = randomUUID(), signal }: { readonly putId?: string; readonly signal?: AbortSignal | undefined } = {},
): Promise<Creation> {
  let problem: unknown;
  const take = async (step: CreateStep): Promise<unknown> => {
    if (step.do === "pause") return sleep(step.ms, undefined, { signal });
    if (step.do === "head")
      return lookAt(sender, key, signal).catch((error: unknown) => {
        throw problem ?? error;
      });
    const headers = { "if-none-match": "*", [putIdHeader]: step.putId };
    try {
      const { status } = await sender.ask({ method: "PUT", key, headers, body: step.body, expects: [412], signal });
      return status === 412 ? "exists" : "created";
    } catch (error) {
      if (!isMillraceError(error) || error.code !== "STORE_IO") throw error;
      problem = error;
      return "unknown";
    }
  };
  const steps = createSteps(key, body, putId);
  let next = steps.next();
  while (!next.done) next = steps.next(await take(next.value));
  const made = next.value;
  if (made.kind === "unknown") throw problem;
  if (made.kind === "contradiction") throw contradiction(sender.bucket, key);
  return made;
}

/** What a store says of an object; undefined if it is not there. */
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
