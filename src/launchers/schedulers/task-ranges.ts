/** Task numbers as ranges, counted from the scheduler's first number: `5-8`, `10`. */
export function taskRanges(tasks: readonly number[], firstTask: 0 | 1): string[] {
  const ranges: { from: number; to: number }[] = [];
  for (const task of [...tasks].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && task + firstTask === last.to + 1) last.to++;
    else ranges.push({ from: task + firstTask, to: task + firstTask });
  }
  return ranges.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`));
}
