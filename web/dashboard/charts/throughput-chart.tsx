import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { RatePoint } from "../../../src/dashboard/run-view.ts";
import { formatClock, formatCount, formatMoment } from "../format.ts";
import { linePath, nearestPoint } from "../layout/line-path.ts";
import { timeTicks, valueTicks } from "../layout/time-axis.ts";
import { DataTable } from "../parts/data-table.tsx";
import { LazyDetails } from "../parts/lazy-details.tsx";
import { useWidth } from "../parts/use-width.ts";

const height = 190;
const margin = { left: 52, right: 12, top: 10, bottom: 24 };

/** Items per second over time, as a line; also as a table for screen readers. */
export function ThroughputChart({ rates }: { rates: readonly RatePoint[] }): JSX.Element {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [at, setAt] = useState<number | undefined>(undefined);
  if (rates.length < 2) return <p class="empty">Nothing has been measured yet.</p>;

  const [from, to] = [rates[0]!.at, rates.at(-1)!.at];
  const largest = rates.reduce((most, { itemsPerSecond }) => Math.max(most, itemsPerSecond), 0);
  const values = valueTicks(largest);
  const inner = { width: Math.max(1, width - margin.left - margin.right), height: height - margin.top - margin.bottom };
  const x = (moment: number) => margin.left + ((moment - from) / Math.max(1, to - from)) * inner.width;
  const y = (rate: number) => margin.top + inner.height * (1 - rate / values.at(-1)!);
  const points = rates.map(({ at: moment, itemsPerSecond }) => [x(moment), y(itemsPerSecond)] as const);
  const line = linePath(points);
  const index = at === undefined ? undefined : Math.min(at, rates.length - 1);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setAt(Math.min(rates.length - 1, Math.max(0, (index ?? rates.length - 1) + step)));
  };

  return (
    <>
      <div
        ref={frame}
        class="chart"
        role="slider"
        tabIndex={0}
        aria-label="Items per second over time: arrow keys move along the line"
        aria-valuemin={0}
        aria-valuemax={rates.length - 1}
        aria-valuenow={index ?? rates.length - 1}
        aria-valuetext={describe(rates[index ?? rates.length - 1]!)}
        onKeyDown={move}
        onPointerMove={({ clientX, currentTarget }) =>
          setAt(nearestPoint(points, clientX - currentTarget.getBoundingClientRect().left))
        }
        onPointerLeave={() => setAt(undefined)}
      >
        <svg width={width} height={height} aria-hidden="true">
          {values.map((value) => (
            <g key={value}>
              <line class="grid" x1={margin.left} x2={width - margin.right} y1={y(value)} y2={y(value)} />
              <text class="axis" x={margin.left - 8} y={y(value)} dy="0.32em" text-anchor="end">
                {formatCount(value)}
              </text>
            </g>
          ))}
          {timeTicks(from, to, inner.width / 90).map(({ at: moment, label }) => (
            <text key={moment} class="axis" x={x(moment)} y={height - 6} text-anchor="middle">
              {label}
            </text>
          ))}
          <path class="area" d={`${line}V${y(0)}H${points[0]![0]}Z`} />
          <path class="line" d={line} />
          {index !== undefined && (
            <g>
              <line class="crosshair" x1={points[index]![0]} x2={points[index]![0]} y1={margin.top} y2={y(0)} />
              <circle class="dot" cx={points[index]![0]} cy={points[index]![1]} r="4" />
            </g>
          )}
        </svg>
      </div>
      <p class="readout">{index === undefined ? `Up to ${formatCount(largest)} items/s` : describe(rates[index]!)}</p>
      <LazyDetails summary="As a table">
        {() => (
          <DataTable
            caption="Items per second over time"
            rows={rates}
            keyOf={({ at: moment }) => String(moment)}
            columns={[
              { head: "Time", cell: ({ at: moment }) => formatMoment(moment), isHead: true },
              { head: "Items/s", cell: ({ itemsPerSecond }) => formatCount(itemsPerSecond), isNumber: true },
            ]}
          />
        )}
      </LazyDetails>
    </>
  );
}

function describe({ at, itemsPerSecond }: RatePoint): string {
  return `${formatClock(at)}: ${formatCount(itemsPerSecond)} items/s`;
}
