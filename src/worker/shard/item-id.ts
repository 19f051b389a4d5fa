import { type DatasetItems, isDataset } from "../../plan/dataset-items.ts";
import { type ItemList, readItems } from "../../plan/item-list.ts";
import type { Shard } from "../../plan/plan.ts";
import { cutText } from "../../text/cut-text.ts";

/** What runs items of a dataset with ids, or of none. */
interface OverDataset {
  readonly dataset: DatasetItems | undefined;
}

/**
 * The id of an item, for messages: from the dataset in the env that the run is over. Undefined if there is none. If it
 * cannot be read, that error is ignored: the failure that is being reported matters more.
 */
export async function itemId({ dataset }: OverDataset, item: number): Promise<string | undefined> {
  try {
    const id = await dataset?.id(item);
    return id === undefined ? undefined : cutText(id);
  } catch {
    return undefined;
  }
}

/** The same where it is here at once: an id that has to be fetched is left out. */
export function itemIdNow({ dataset }: OverDataset, item: number): string | undefined {
  try {
    const id = dataset?.id(item);
    return typeof id === "string" ? cutText(id) : undefined;
  } catch {
    return undefined;
  }
}

/** The dataset in the env that the run is over, if its rows have ids. */
export function datasetOfRun(env: object, { dataset: digest }: ItemList): DatasetItems | undefined {
  if (digest === undefined) return undefined;
  return Object.values(env)
    .filter(isDataset)
    .find((one) => one.digest === digest && one.hasIds);
}

/** Where an id of an item is reported to. */
type NameItem = (position: number, id: string) => void;

/** Names items by their ids, one at a time: an id may have to be fetched. */
export function itemNamer(dataset: DatasetItems, items: ItemList, name: NameItem): NameNextItem {
  let isFetching = false;
  return ({ from, to }, position) => {
    if (isFetching || from + position >= to) return;
    const [item = 0] = readItems(items, from + position, from + position + 1);
    try {
      const id = dataset.id(item);
      if (typeof id === "string") return name(position, id);
      isFetching = true;
      const end = () => {
        isFetching = false;
      };
      id.then((come) => name(position, come)).then(end, end);
    } catch {
      // It is only shown: what is wrong with the row is found when the row is read.
    }
  };
}

/** Names the item at a position of a shard. */
export type NameNextItem = (shard: Pick<Shard, "from" | "to">, position: number) => void;

/** An item as messages name it: its index, and its id if it has one. */
export function itemName(item: number, id: string | undefined): string {
  return id === undefined ? `item ${item}` : `item ${item} (${id})`;
}
