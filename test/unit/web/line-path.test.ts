import { describe, expect, it } from "vitest";
import { linePath, nearestPoint } from "../../../web/dashboard/layout/line-path.ts";

describe("linePath", () => {
  it("joins points, to a tenth of a pixel", () => {
    expect(
      linePath([
        [0, 1.26],
        [2.04, 3],
      ]),
    ).toBe("M0 1.3L2 3");
  });
});

describe("nearestPoint", () => {
  it("is by its place from left to right", () => {
    const points = [0, 10, 20].map((x) => [x, 0] as const);
    expect([nearestPoint(points, -9), nearestPoint(points, 12), nearestPoint(points, 99), nearestPoint([], 0)]).toEqual(
      [0, 1, 2, undefined],
    );
  });
});
