import type { ModelMoment } from "../machine/machine.ts";
import type { Program } from "../machine/program.ts";
import type { Actor } from "./actors.ts";
import type { RunEvent } from "./classify-change.ts";
import type { Settings } from "./settings.ts";

/** Injects the faults. Each happens once. */
export interface Faults {
  /** Returns true if a program is killed or stopped right before a change. */
  beforeChange(actor: Actor, event: RunEvent): "kill" | undefined;
  afterChange(actor: Actor, event: RunEvent): "kill" | undefined;
  atModel(actor: Actor, moment: ModelMoment): "kill" | "kill driver" | "pause" | undefined;
}

/** The faults that the reader selected. If there are several workers, the second is killed or stopped. */
export function openFaults(settings: Settings): Faults {
  const { env, workers, killWorker, killDriver, pause } = settings;
  const victim = env === "local" || workers === 1 ? 1 : 2;
  let isWorkerDue = killWorker !== "no";
  let isDriverDue = killDriver !== "no";
  let isPauseDue = pause;

  const isVictim = (actor: Actor) => isWorkerDue && actor.ordinal === victim;
  const killIf = (isTime: boolean): "kill" | undefined => {
    if (!isTime) return undefined;
    isWorkerDue = false;
    return "kill";
  };
  const killDriverIf = (isTime: boolean): "kill" | undefined => {
    if (!isTime) return undefined;
    isDriverDue = false;
    return "kill";
  };
  // In the middle of a shard, if it has one: something is saved and something is lost.
  const isMidShard = (actor: Actor) => actor.hasBegun || isOneCallAShard(settings);

  return {
    beforeChange(actor, event) {
      if (isVictim(actor) && event.is === "checkpoint") return killIf(killWorker === "write");
      if (isVictim(actor) && event.is === "commit") return killIf(killWorker === "commit");
      return undefined;
    },
    afterChange(actor, event) {
      if (isVictim(actor) && event.is === "lease" && event.unit !== "merge") return killIf(killWorker === "claim");
      if (isVictim(actor) && event.is === "checkpoint") return killIf(killWorker === "checkpoint");
      if (!isDriverDue || !isDriver(actor.program)) return undefined;
      if (event.is === "manifest") return killDriverIf(killDriver === "plan");
      return event.is === "lease" && event.unit === "merge" ? killDriverIf(killDriver === "merge") : undefined;
    },
    atModel(actor, moment) {
      if (moment.is === "building" && isVictim(actor)) return killIf(killWorker === "build");
      if (moment.is !== "called" || !isMidShard(actor)) return undefined;
      if (isPauseDue && actor.ordinal === victim) {
        isPauseDue = false;
        return "pause";
      }
      if (isVictim(actor) && killWorker === "forward") return killIf(true);
      if (!isDriverDue || killDriver !== "forward") return undefined;
      isDriverDue = false;
      return "kill driver";
    },
  };
}

export function isDriver({ start }: Program): boolean {
  return start.entry === "main";
}

function isOneCallAShard({ items, shards, batch }: Settings): boolean {
  return Math.ceil(items / Math.max(1, batch)) <= shards;
}
