import { expect, it } from "vitest";
import { itemName } from "../../../../src/worker/shard/item-id.ts";

it("names an item by its id, in which a terminal finds no command", () => {
  expect(itemName(3, undefined)).toBe("item 3");
  expect(itemName(3, "utt-3 é")).toBe("item 3 (utt-3 é)");
  expect(itemName(3, "a\u001b]0;x\u0007b")).toBe("item 3 (a\\u001b]0;x\\u0007b)");
});
