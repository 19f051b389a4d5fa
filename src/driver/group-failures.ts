import type { FailureRecord } from "../worker/shard/failure-log.ts";

/** Failed items whose messages differ only in numbers, ids and paths. */
export interface FailureGroup {
  /** Their common message: `cannot open PATH: N bytes are missing`. */
  readonly message: string;
  readonly name: string;
  readonly code?: string;
  readonly count: number;
  /** The first of the items, by id where they have ids. */
  readonly items: readonly string[];
  readonly first: FailureRecord;
}

// A run in which every message is different must not fill the memory or the screen.
const maxGroups = 1000;
const maxItems = 20;
const otherMessages = "other messages";

/** Failures by what went wrong, the most frequent first. */
export function groupFailures(failures: Iterable<FailureRecord>): FailureGroup[] {
  const groups = new Map<string, { group: FailureGroup; items: string[]; count: number }>();
  for (const failure of failures) {
    const { name, code } = failure.error;
    const message = commonMessage(failure);
    const wanted = JSON.stringify([name, code, message]);
    const isKnown = groups.has(wanted) || groups.size < maxGroups;
    const key = isKnown ? wanted : otherMessages;
    const known = groups.get(key);
    if (known === undefined) {
      const items = [itemName(failure)];
      const about = isKnown
        ? { message, name, ...(code !== undefined && { code }) }
        : { message: otherMessages, name: "" };
      groups.set(key, { group: { ...about, count: 1, items, first: failure }, items, count: 1 });
      continue;
    }
    known.count++;
    if (known.items.length < maxItems) known.items.push(itemName(failure));
  }
  return [...groups.values()]
    .map(({ group, items, count }) => ({ ...group, items, count }))
    .sort((a, b) => b.count - a.count);
}

/** What an item is called: its id, or its number. */
export function itemName({ item, id }: Pick<FailureRecord, "item" | "id">): string {
  return id ?? String(item);
}

/** The first line of a message with placeholders for what differs from item to item. */
function commonMessage({ id, error: { message } }: FailureRecord): string {
  const [line] = message.split("\n", 1) as [string];
  const withoutId = id === undefined || id.length < 2 ? line : line.replaceAll(id, "ID");
  return withoutId
    .slice(0, 500)
    .replace(/(?:\w+:\/\/|\.{0,2}\/)[^\s"'`,;:)\]]*[^\s"'`,;:)\].]/g, "PATH")
    .replace(/\b0x[\da-f]+\b|\b(?=[\da-f]*\d)[\da-f]{8,}\b/gi, "N")
    .replace(/[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?/gi, "N");
}
