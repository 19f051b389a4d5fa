import type { JSX } from "preact";
import type { Bar, BarOutcome, Lane } from "../layout/timeline-layout.ts";

export interface TimelineLaneProps {
  readonly lane: Lane;
  readonly left: number;
  readonly top: number;
  readonly labelAbove: boolean;
  readonly current: Bar | undefined;
}

const barHeight = 14;
const maxNameLength = 26;

/** The bars of one worker: a path for each outcome, however many there are. */
export function TimelineLane({ lane, left, top, labelAbove, current }: TimelineLaneProps): JSX.Element {
  const y = labelAbove ? 16 : 4;
  const outcomes = [...new Set(lane.bars.map(({ outcome }) => outcome))];
  return (
    <g transform={`translate(0 ${top})`}>
      <text class="lane-name" x="0" y={labelAbove ? 12 : y + 11}>
        {shorten(lane.worker)}
      </text>
      <g transform={`translate(${left} ${y})`}>
        {outcomes.map((outcome) => (
          <path
            key={outcome}
            class={`bar outcome-${outcome}`}
            d={lane.bars
              .filter((bar) => bar.outcome === outcome)
              .map(shapeOf)
              .join("")}
          />
        ))}
        {current !== undefined && (
          <rect class="bar-cursor" x={current.x - 2} y="-2" width={current.width + 4} height={barHeight + 4} rx="2" />
        )}
      </g>
    </g>
  );
}

/** Distinguishable without colours: released attempts are low, lost ones end in a cross, failed ones in a notch. */
function shapeOf({ x, width, outcome }: Bar): string {
  const end = round(Math.max(x + 1, x + width - (width > 3 ? 1 : 0)));
  const start = round(x);
  const shapes: Record<BarOutcome, string> = {
    committed: `M${start} 0H${end}V${barHeight}H${start}Z`,
    released: `M${start} 9H${end}V${barHeight}H${start}Z`,
    running: `M${start} 0H${end}V${barHeight}H${start}ZM${start} 2H${end}V12H${start}Z`,
    failed: `M${start} 0H${end}V${barHeight}H${start}ZM${end - 1} 2l-5 5 5 5Z`,
    lost: `M${start} 5H${end}V9H${start}ZM${end - 5} 0l5 5 5-5 2 2-5 5 5 5-2 2-5-5-5 5-2-2 5-5-5-5Z`,
  };
  return shapes[outcome];
}

function shorten(name: string): string {
  return name.length <= maxNameLength ? name : `${name.slice(0, 10)}…${name.slice(11 - maxNameLength)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
