type Point = readonly [x: number, y: number];

/** Points joined by a line, as an SVG path; a tenth of a pixel is fine enough. */
export function linePath(points: readonly Point[]): string {
  return points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join("");
}

/** The position of the point nearest to x; points come in the order of x. */
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
