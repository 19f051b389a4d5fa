import type { Claim } from "../../run-folder/lease/claim.ts";
import {
  controlSlot,
  type HeartbeatData,
  heldAt,
  heldCounter,
  heldSlot,
  mergeCode,
  nothingHeld,
} from "./heartbeat-protocol.ts";

/** A claim whose lease the heartbeat renews. */
export interface Hold {
  /** Sets how many items of the shard were done by earlier attempts. */
  resumeAt(position: number): void;
  /** Sets how many items of the shard are done. */
  count(position: number): void;
  /** Whether the lease was lost. */
  isLost(): boolean;
  /**
   * Notes that a call of `forward` with `count` items begins at `position`. If several calls are open, any of `span`
   * items from there on may be the one that blocks the worker.
   */
  enterItem(position: number, count: number, span?: number): void;
  /** Notes that no call is open. */
  leaveItem(): void;
  release(): void;
}

/** Puts a claim into the table that the worker shares with its heartbeat. */
export function holdClaim({ control, counters, maxHeld }: HeartbeatData, { target, attempt }: Claim): Hold {
  const { word, counter } = freePlace(control, maxHeld);
  counters[counter + heldCounter.position] = 0;
  counters[counter + heldCounter.from] = 0;
  counters[counter + heldCounter.since] = Date.now();
  control[word + heldSlot.callItems] = 0;
  Atomics.store(control, word + heldSlot.isLost, 0);
  Atomics.store(control, word + heldSlot.attempt, attempt);
  Atomics.store(control, word + heldSlot.target, target === "merge" ? mergeCode : target);
  return {
    resumeAt(position) {
      counters[counter + heldCounter.position] = position;
      counters[counter + heldCounter.from] = position;
    },
    count(position) {
      counters[counter + heldCounter.position] = position;
    },
    isLost: () => Atomics.load(control, word + heldSlot.isLost) === 1,
    enterItem(position, count, span = count) {
      counters[counter + heldCounter.callPosition] = position;
      control[word + heldSlot.callSpan] = span;
      control[word + heldSlot.callItems] = count;
      Atomics.add(control, controlSlot.call, 1);
    },
    leaveItem() {
      control[word + heldSlot.callItems] = 0;
    },
    release() {
      control[word + heldSlot.callItems] = 0;
      Atomics.store(control, word + heldSlot.target, nothingHeld);
    },
  };
}

function freePlace(control: Int32Array, maxHeld: number): ReturnType<typeof heldAt> {
  for (let i = 0; i < maxHeld; i++) {
    const place = heldAt(i);
    if (control[place.word + heldSlot.target] === nothingHeld) return place;
  }
  throw new RangeError(`A worker that may hold ${maxHeld} claims takes one more.`);
}
