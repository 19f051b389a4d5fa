import type { ShardCounts } from "../../../src/run-folder/shard/done.ts";
import type { Actor } from "./actors.ts";
import type { RunEvent } from "./classify-change.ts";
import type { Occasion } from "./narration.ts";

/** The description of a step. */
export interface StepText {
  readonly occasion: Occasion;
  readonly title: string;
}

/** The context that is needed to describe an event. */
export interface EventContext {
  /** The holder of the attempt that an event is about. */
  readonly holder: Actor | undefined;
  readonly plan: { readonly items: number; readonly shards: number };
  /** Counts of the shard that was just committed. */
  readonly counts: ShardCounts | undefined;
}

/** Describes what an actor did to the run folder; undefined if it is not shown. */
export function describeEvent(
  actor: Actor,
  event: RunEvent,
  { holder, plan, counts }: EventContext,
): StepText | undefined {
  const who = capital(actor.name);
  const step = (occasion: Occasion, title: string): StepText => ({ occasion, title });
  switch (event.is) {
    case "manifest":
      return step("manifest", `The driver plans: ${plan.items} items in ${plan.shards} shards`);
    case "spec":
      return step("spec", "The driver records how a worker finds the classes");
    case "first-look":
      return step("firstLook", "The driver saves what it has seen for the workers");
    case "job":
      return step("submission", `${who} writes jobs/${event.name}`);
    case "stop":
      return step("stopOrder", `${who} asks all workers to stop`);
    case "report":
      return step("report", `${who} makes its own file`);
    case "merged":
      return step("merged", "The shards are merged in item order");
    case "merged-file":
      return undefined;
    case "tidy":
      return step("tidy", `${who} removes attempt ${event.path}`);
    case "commit":
      return step("commit", `${who} commits shard ${event.unit}: ${countsText(counts)}`);
    case "note":
      if (event.name === ".item") return step("itemNote", `${who} notes which item it is at`);
      return step(
        event.name === ".exit" ? "exitNote" : "note",
        `${who} leaves the note ${event.name} in attempt ${event.unit}.${event.attempt}`,
      );
    case "fence":
      if (holder === actor) return step("release", `${who} gives ${unitText(event)} back`);
      return step(
        actor.ordinal > 0 ? "fence" : "reaped",
        `${who} takes ${unitText(event)} from ${holder?.name ?? "a worker that is gone"}`,
      );
    default:
      return describeWork(actor, event, step);
  }
}

function describeWork(
  actor: Actor,
  event: Extract<RunEvent, { name: string; unit: unknown }>,
  step: (occasion: Occasion, title: string) => StepText,
): StepText | undefined {
  const who = capital(actor.name);
  const what = unitText(event);
  switch (event.is) {
    case "claim":
      if (event.unit === "merge") return step("mergeClaim", `${who} claims the merge`);
      return step("claim", `${who} claims ${what}${event.attempt > 1 ? `, attempt ${event.attempt}` : ""}`);
    case "lease":
      return step("lease", `${who} has the lease on ${what}`);
    case "records":
      if (!actor.hasBegun)
        return step("copied", `${who} continues from the checkpoint of attempt ${event.attempt - 1}`);
      return step("records", `${who} writes to records.jsonl of ${what}`);
    case "failures":
      if (!actor.hasBegun) return undefined;
      return step("failures", `${who} puts the failed item into failures.jsonl of ${what}`);
    case "checkpoint":
      return step("checkpoint", `${who} saves a checkpoint of ${what}`);
    case "done":
      return step("done", `${who} writes done of ${what}`);
    case "drop":
      if (event.unit === "merge") return step("mergeEnd", `${who} gives up the claim on the merge`);
      return actor.holds(event.unit, event.attempt) ? step("withdrawn", `${who} withdraws from ${what}`) : undefined;
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
