import { join } from "node:path";
import { MillraceError } from "../../errors/errors.ts";
import { decodeState, encodeState } from "../../values/state-json.ts";
import { readIfPresent } from "../files/durable-files.ts";
import { rewriteInRun } from "../files/run-files.ts";
import { existsSync } from "../files/store-calls.ts";
import { stateName } from "./shard-file-names.ts";

const reservedStateKeys = new Set(["shardId", "shardDir", "writers"]);

/** The part of a shard's state that belongs to the runner. */
export function userState(state: object): Record<string, unknown> {
  const userKeys = Object.keys(state).filter((key) => !reservedStateKeys.has(key));
  return Object.fromEntries(userKeys.map((key) => [key, Reflect.get(state, key)]));
}

/** Writes the final state of a shard beside its files, if there is one. */
export function writeShardState(shardDir: string, state: object): void {
  const ofUser = userState(state);
  if (Object.keys(ofUser).length > 0) rewriteInRun(shardDir, join(shardDir, stateName), `${encodeState(ofUser)}\n`);
}

/** Reads the final state of a shard, for `merge`: what the runner put into it and what `closeWriters` returned. */
export function readShardState<State extends object = Record<string, unknown>>(shardDir: string): State {
  const path = join(shardDir, stateName);
  if (!existsSync(path)) return {} as State;
  try {
    return userState(decodeState(readIfPresent(path) ?? "")) as State;
  } catch (cause) {
    throw new MillraceError("SHARD_DAMAGED", `${path} cannot be read as a shard's state.`, {
      cause,
      hint: "Delete the shard's `done` and run again: that shard alone is computed again.",
    });
  }
}

/** Adds the state of an earlier attempt's checkpoint to a new state. */
export function withUserState<State extends { readonly shardId: number }>(state: State, text: string): State {
  try {
    return Object.assign(state, userState(decodeState(text)));
  } catch (cause) {
    throw new MillraceError("SHARD_DAMAGED", `A checkpoint of split.${state.shardId} holds no state of a shard.`, {
      cause,
      hint: "It was changed. Remove the folders of that shard's attempts, and it begins again.",
    });
  }
}
