import { MillraceError } from "../errors/errors.ts";
import { type CreateStep, type Creation, createSteps } from "../object-store/create-object.ts";

/**
 * The protocol of a run in an object store, as steps: generators that yield one request at a time. They do no I/O
 * themselves, so tests run the same code on a model of a store that loses answers and repeats requests.
 */
export type ObjectStep =
  | CreateStep
  | { readonly do: "put"; readonly key: string; readonly text: string }
  | { readonly do: "read"; readonly key: string }
  | { readonly do: "age"; readonly key: string }
  | { readonly do: "list"; readonly prefix: string }
  | { readonly do: "remove"; readonly key: string }
  | { readonly do: "mark" };

export type ObjectSteps<T> = Generator<ObjectStep, T, unknown>;

/** Creates an object if there is none of this key. Fails where it is not known whether it was created. */
export function* create(key: string, text: string): ObjectSteps<Creation> {
  const putId = (yield { do: "mark" }) as string;
  const made = yield* createSteps(key, Buffer.from(text), putId);
  if (made.kind === "created" || made.kind === "exists") return made;
  throw new MillraceError("STORE_IO", `It is not known whether ${key} was created: no answer came.`, {
    hint: "Check the store and the network, then start again: what is committed is kept.",
  });
}

/** Writes an object that only this worker writes. */
export function* put(key: string, text: string): ObjectSteps<void> {
  yield { do: "put", key, text };
}

export function* read(key: string): ObjectSteps<string | undefined> {
  return (yield { do: "read", key }) as string | undefined;
}

/** How long ago an object was written, by the store's own clock; undefined if it is not there. */
export function* ageOf(key: string): ObjectSteps<number | undefined> {
  return (yield { do: "age", key }) as number | undefined;
}

/** The keys that begin like this, as they were at some time while they were listed, or before. */
export function* list(prefix: string): ObjectSteps<readonly string[]> {
  return (yield { do: "list", prefix }) as readonly string[];
}

export function* remove(key: string): ObjectSteps<void> {
  yield { do: "remove", key };
}
