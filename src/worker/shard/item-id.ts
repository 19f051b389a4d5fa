import { isDataset } from "../../plan/dataset-items.ts";
import { cutText } from "../../text/cut-text.ts";
import type { ShardAttempt } from "./shard-attempt.ts";

/**
 * The id of an item, for messages: from the dataset in the env that the run is over. Undefined if there is none. If it
 * cannot be read, that error is ignored: the failure that is being reported matters more.
 */
export async function itemId({ env, context }: ShardAttempt, item: number): Promise<string | undefined> {
  const { dataset: digest } = context.worker.run.plan.items;
  if (digest === undefined) return undefined;
  const dataset = Object.values(env)
    .filter(isDataset)
    .find((one) => one.digest === digest && one.hasIds);
  try {
    const id = await dataset?.id(item);
    return id === undefined ? undefined : cutText(id);
  } catch {
    return undefined;
  }
}

/** An item as messages name it: its index, and its id if it has one. */
export function itemName(item: number, id: string | undefined): string {
  return id === undefined ? `item ${item}` : `item ${item} (${id})`;
}
