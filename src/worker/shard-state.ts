import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MillraceError } from "../shared/errors.ts";
import { decodeState, encodeState } from "../shared/state-json.ts";
import { stateName } from "../store/shard-file-names.ts";
import type { ShardState } from "./runner-hooks.ts";

const machinerysKeys = new Set(["shardId", "shardDir", "writers"]);

/** The part of a shard's state that is the runner's own. */
export function ownState(state: object): Record<string, unknown> {
  const own = Object.keys(state).filter((key) => !machinerysKeys.has(key));
  return Object.fromEntries(own.map((key) => [key, Reflect.get(state, key)]));
}

/** Keeps the final state of a shard beside its files, if there is any. */
export function writeShardState(shardDir: string, state: object): void {
  const own = ownState(state);
  if (Object.keys(own).length > 0) writeFileSync(join(shardDir, stateName), `${encodeState(own)}\n`);
}

/** The state a shard ended with, for `merge`: what the runner put into it and what `closeWriters` returned. */
export function readShardState<State extends object = Record<string, unknown>>(shardDir: string): State {
  const path = join(shardDir, stateName);
  if (!existsSync(path)) return {} as State;
  try {
    return decodeState(readFileSync(path, "utf8")) as State;
  } catch (cause) {
    throw new MillraceError("SHARD_DAMAGED", `${path} cannot be read as a shard's state.`, {
      cause,
      hint: "Delete the shard's `done` and run again: that shard alone is computed anew.",
    });
  }
}

/** A fresh state with what an earlier attempt had in it. */
export function withOwnState(state: ShardState, own: string): ShardState {
  return Object.assign(state, decodeState(own));
}
