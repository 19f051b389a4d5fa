type Point = readonly [x: number, y: number];

/** Points joined by a line, as an SVG path with a precision of a tenth of a pixel. */
export function linePath(points: readonly Point[]): string {
  return points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join("");
}

/** The index of the point nearest to x; points are ordered by x. */
export function nearestPoint(points: readonly Point[], x: number): number | undefined {
  let nearest: number | undefined;
  for (let i = 0; i < points.length; i++) {
    if (nearest === undefined || Math.abs(points[i]![0] - x) <= Math.abs(points[nearest]![0] - x)) nearest = i;
  }
  return nearest;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
