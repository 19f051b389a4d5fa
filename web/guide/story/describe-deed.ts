import type { ShardCounts } from "../../../src/store/done.ts";
import type { Actor } from "./actors.ts";
import type { Deed } from "./classify-change.ts";
import type { Occasion } from "./narration.ts";

/** A step in words. */
export interface Telling {
  readonly occasion: Occasion;
  readonly title: string;
}

/** What has to be looked up to tell of a deed. */
export interface Surroundings {
  /** Who held the attempt that a deed is about. */
  readonly holder: Actor | undefined;
  readonly plan: { readonly items: number; readonly shards: number };
  /** Of the shard that was just committed. */
  readonly counts: ShardCounts | undefined;
}

/** Tells what an actor has done to the run folder; undefined for what needs no telling. */
export function describeDeed(actor: Actor, deed: Deed, { holder, plan, counts }: Surroundings): Telling | undefined {
  const who = capital(actor.name);
  const tell = (occasion: Occasion, title: string): Telling => ({ occasion, title });
  switch (deed.is) {
    case "manifest":
      return tell("manifest", `The driver plans: ${plan.items} items in ${plan.shards} shards`);
    case "spec":
      return tell("spec", "The driver writes down how a worker finds the classes");
    case "first-look":
      return tell("firstLook", "The driver leaves what it has seen for the workers");
    case "job":
      return tell("submission", `${who} writes jobs/${deed.name}`);
    case "stop":
      return tell("stopOrder", `${who} asks everyone to stop`);
    case "report":
      return tell("report", `${who} makes its own file`);
    case "merged":
      return tell("merged", "The shards are merged in item order");
    case "merged-file":
      return undefined;
    case "tidy":
      return tell("tidy", `${who} removes attempt ${deed.path}`);
    case "commit":
      return tell("commit", `${who} commits shard ${deed.unit}: ${countsText(counts)}`);
    case "note":
      if (deed.name === ".item") return tell("itemNote", `${who} notes which item it is at`);
      return tell(
        deed.name === ".exit" ? "exitNote" : "note",
        `${who} leaves the note ${deed.name} in attempt ${deed.unit}.${deed.epoch}`,
      );
    case "fence":
      if (holder === actor) return tell("release", `${who} gives ${unitText(deed)} back`);
      return tell(
        actor.ordinal > 0 ? "fence" : "reaped",
        `${who} takes ${unitText(deed)} from ${holder?.name ?? "a worker that is gone"}`,
      );
    default:
      return describeWork(actor, deed, tell);
  }
}

function describeWork(
  actor: Actor,
  deed: Extract<Deed, { name: string; unit: unknown }>,
  tell: (occasion: Occasion, title: string) => Telling,
): Telling | undefined {
  const who = capital(actor.name);
  const what = unitText(deed);
  switch (deed.is) {
    case "claim":
      if (deed.unit === "merge") return tell("mergeClaim", `${who} claims the merge`);
      return tell("claim", `${who} claims ${what}${deed.epoch > 1 ? `, attempt ${deed.epoch}` : ""}`);
    case "lease":
      return tell("lease", `${who} has the lease on ${what}`);
    case "records":
      if (!actor.hasBegun) return tell("copied", `${who} goes on from the checkpoint of attempt ${deed.epoch - 1}`);
      return tell("records", `${who} writes to records.jsonl of ${what}`);
    case "failures":
      if (!actor.hasBegun) return undefined;
      return tell("failures", `${who} puts the failed item into failures.jsonl of ${what}`);
    case "checkpoint":
      return tell("checkpoint", `${who} saves a checkpoint of ${what}`);
    case "done":
      return tell("done", `${who} writes done of ${what}`);
    case "drop":
      if (deed.unit === "merge") return tell("mergeEnd", `${who} gives up the claim on the merge`);
      return actor.holds(deed.unit, deed.epoch) ? tell("withdrawn", `${who} withdraws from ${what}`) : undefined;
    default:
      return undefined;
  }
}

function unitText({ unit }: { readonly unit: number | "merge" }): string {
  return unit === "merge" ? "the merge" : `shard ${unit}`;
}

function countsText(counts: ShardCounts | undefined): string {
  const { written = 0, failed = 0 } = counts ?? {};
  return `${written} ${written === 1 ? "record" : "records"}${failed > 0 ? `, ${failed} failed` : ""}`;
}

/** A name at the beginning of a sentence. */
export function capital(name: string): string {
  return name[0]!.toUpperCase() + name.slice(1);
}
