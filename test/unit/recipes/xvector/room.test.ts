import { expect, it } from "vitest";
import { takeRoom } from "../../../../src/recipes/xvector/room.ts";

it("is used again once it is given back, and not before", () => {
  const [one, two] = [takeRoom(), takeRoom()];
  const lent = one.allocate(1000);
  expect(two.allocate(1000).buffer).not.toBe(lent.buffer);
  one.giveBack();
  const next = takeRoom();
  expect(next.allocate(500).buffer).toBe(lent.buffer);
  expect(next.allocate(500)).toHaveLength(500);
});

it("does not keep what a recording of hours took", () => {
  const room = takeRoom();
  const { buffer } = room.allocate(40 * 60 * 16_000);
  room.giveBack();
  expect(takeRoom().allocate(1).buffer).not.toBe(buffer);
});
