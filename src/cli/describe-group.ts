import type { FailureGroup } from "../driver/group-failures.ts";
import { readable } from "../text/readable.ts";

const shownItems = 5;

/** A reason why items failed: how many, which, and where in the code the first did. */
export function describeGroup({ count, name, code, message, items, first }: FailureGroup): string {
  const shown = items.slice(0, shownItems).join(", ");
  const more = count > shownItems ? ` and ${count - shownItems} more` : "";
  const what = [name, code].filter((part) => part !== undefined && part !== "" && part !== "Error").join(" ");
  const place = /^ +at .*$/m.exec(first.stack ?? "")?.[0].trim();
  const lines = [
    "",
    `${count} x  ${what === "" ? "" : `${what}: `}${message}`,
    `     items ${shown}${more}`,
    `     the first says: ${first.error.message.split("\n", 1)[0]}`,
    ...(place === undefined ? [] : [`     ${place}`]),
  ];
  return `${lines.map((line) => readable(line.replaceAll("\t", " "))).join("\n")}\n`;
}
