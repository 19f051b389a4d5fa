import { expect, it } from "vitest";
import { borrowBuffer } from "../../../../src/recipes/xvector/borrow-buffer.ts";

it("is used again once it is released, and not before", () => {
  const [one, two] = [borrowBuffer(), borrowBuffer()];
  const lent = one.allocate(1000);
  expect(two.allocate(1000).buffer).not.toBe(lent.buffer);
  one.returnBuffer();
  const next = borrowBuffer();
  expect(next.allocate(500).buffer).toBe(lent.buffer);
  expect(next.allocate(500)).toHaveLength(500);
});

it("does not keep what a recording of hours took", () => {
  const room = borrowBuffer();
  const { buffer } = room.allocate(40 * 60 * 16_000);
  room.returnBuffer();
  expect(borrowBuffer().allocate(1).buffer).not.toBe(buffer);
});
