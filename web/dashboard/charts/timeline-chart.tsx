import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { timeTicks } from "../layout/time-axis.ts";
import { barAt, layoutTimeline } from "../layout/timeline-layout.ts";
import type { RunModel } from "../model/run-model.ts";
import { useWidth } from "../parts/use-width.ts";
import { describeBar } from "./describe-bar.ts";
import { TimelineLane } from "./timeline-lane.tsx";

const axisHeight = 22;
const fewLanes = 24;

export interface TimelineChartProps {
  readonly model: RunModel;
  readonly from: number;
  readonly to: number;
}

/** One lane per worker: which attempts it ran, when, and which were lost. */
export function TimelineChart({ model, from, to }: TimelineChartProps): JSX.Element {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [areAllShown, showAll] = useState(false);
  const [at, setAt] = useState<{ readonly lane: number; readonly bar: number } | undefined>(undefined);
  const isNarrow = width < 640;
  const left = isNarrow ? 0 : 190;
  const laneHeight = isNarrow ? 34 : 22;
  const inner = Math.max(1, width - left);
  const { attempts, overview, seenSince } = model;
  const lanes = useMemo(
    () => layoutTimeline({ attempts, workers: overview.workers, seenSince, from, to, width: inner }),
    [attempts, overview.workers, seenSince, from, to, inner],
  );
  const shown = areAllShown ? lanes : lanes.slice(-fewLanes);
  const current = at === undefined ? undefined : shown[at.lane]?.bars[at.bar];
  const height = shown.length * laneHeight + axisHeight;

  const point = ({ clientX, clientY }: { clientX: number; clientY: number }) => {
    const box = frame.current!.getBoundingClientRect();
    const lane = Math.floor((clientY - box.top - axisHeight) / laneHeight);
    const found = shown[lane] === undefined ? undefined : barAt(shown[lane], clientX - box.left - left);
    setAt(found === undefined ? undefined : { lane, bar: shown[lane]!.bars.indexOf(found) });
  };
  const move = (event: KeyboardEvent) => {
    const [across, along] = steps[event.key] ?? [];
    if (across === undefined || along === undefined || shown.length === 0) return;
    event.preventDefault();
    // From the target of the previous key, even if it is not drawn yet.
    setAt((before) => {
      const lane = clamp((before?.lane ?? 0) + across, shown.length);
      const from = before === undefined ? undefined : shown[before.lane]?.bars[before.bar];
      const nearest = across === 0 || from === undefined ? undefined : barAt(shown[lane]!, from.x);
      const bar = nearest === undefined ? (before?.bar ?? -1) + along : shown[lane]!.bars.indexOf(nearest);
      return { lane, bar: clamp(bar, shown[lane]!.bars.length) };
    });
  };
  const text = current === undefined ? "" : describeBar(current, shown[at!.lane]!, attempts);

  return (
    <>
      <div
        ref={frame}
        class="chart timeline"
        role="slider"
        tabIndex={0}
        aria-label="Timeline of attempts: up and down change the worker, left and right the attempt"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, shown.length - 1)}
        aria-valuenow={at?.lane ?? 0}
        aria-valuetext={`worker ${shown[at?.lane ?? 0]?.worker ?? "none"}`}
        onKeyDown={move}
        onPointerMove={point}
        onClick={point}
      >
        <svg width={width} height={height} aria-hidden="true">
          {timeTicks(from, to, inner / 100).map(({ at: moment, label }) => {
            const x = left + ((moment - from) / Math.max(1, to - from)) * inner;
            return (
              <g key={moment}>
                <line class="grid" x1={x} x2={x} y1={axisHeight - 6} y2={height} />
                <text
                  class="axis"
                  x={x}
                  y={axisHeight - 10}
                  text-anchor={x > width - 30 ? "end" : x < 30 ? "start" : "middle"}
                >
                  {label}
                </text>
              </g>
            );
          })}
          {shown.map((lane, i) => (
            <TimelineLane
              key={lane.worker}
              lane={lane}
              left={left}
              top={axisHeight + i * laneHeight}
              labelAbove={isNarrow}
              current={at?.lane === i ? current : undefined}
            />
          ))}
        </svg>
      </div>
      <p class="readout" role="status">
        {text}
      </p>
      {lanes.length > fewLanes && (
        <button type="button" onClick={() => showAll(!areAllShown)}>
          {areAllShown ? `Show the newest ${fewLanes} workers` : `Show all ${lanes.length} workers`}
        </button>
      )}
    </>
  );
}

const steps: Readonly<Record<string, readonly [across: number, along: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

function clamp(value: number, count: number): number {
  return Math.min(Math.max(value, 0), Math.max(0, count - 1));
}
