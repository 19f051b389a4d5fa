import { expect, it } from "vitest";
import { groupFailures } from "../../../src/driver/group-failures.ts";

const failure = (item: number, message: string, more: { id?: string; code?: string; name?: string } = {}) => {
  const { id, code, name = "Error" } = more;
  return {
    ...{ item, position: item, attempt: 1, tries: 1, at: {} },
    ...(id !== undefined && { id }),
    error: { name, message, ...(code !== undefined && { code }) },
  };
};
const messagesOf = (...messages: string[]) => groupFailures(messages.map((text, i) => failure(i, text)));

it.each([
  ["cannot open /data/a/1.wav: 12 bytes", "cannot open ./b.flac: 7 bytes", "cannot open PATH: N bytes"],
  ["HTTP 503 from https://host/v1/9?x=2.", "HTTP 429 from http://other/2.", "HTTP N from PATH."],
  ["loss is -1.5e-7 at 3,200", "loss is 2 at 1", "loss is N at N"],
  ["digest deadbeef00 of 0xFF", "digest 0123456789abcdef of 0x1", "digest N of N"],
])("takes %j and %j for one reason", (first, second, message) => {
  expect(messagesOf(first, second)).toMatchObject([{ message, count: 2, items: ["0", "1"] }]);
});

it("keeps reasons apart that differ in words, codes or names", () => {
  const all = [
    failure(0, "no speech"),
    failure(1, "no text"),
    failure(2, "no text", { code: "BAD_FILE" }),
    failure(3, "no text", { name: "TypeError" }),
    failure(4, "no text"),
  ];
  expect(groupFailures(all).map(({ count }) => count)).toEqual([2, 1, 1, 1]);
});

it("knows items by their ids, also within messages", () => {
  const groups = groupFailures([
    failure(0, "utt-a is empty", { id: "utt-a" }),
    failure(1, "utt-b is empty", { id: "utt-b" }),
  ]);
  expect(groups).toMatchObject([{ message: "ID is empty", items: ["utt-a", "utt-b"], first: { item: 0 } }]);
});

it("holds a bounded number of reasons and items", () => {
  const word = (n: number) => n.toString(26).replace(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)]!);
  const all = Array.from({ length: 3000 }, (_, i) => failure(i, `reason ${word(i)}`));
  const groups = groupFailures([...all, ...all]);
  expect(groups.length).toBe(1001);
  expect(groups[0]).toMatchObject({ message: "other messages", count: 4000 });
  expect(groups[0]!.items.length).toBe(20);
});
