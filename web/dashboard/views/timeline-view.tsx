import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { AttemptView } from "../../../src/dashboard/run-view.ts";
import { TimelineChart } from "../charts/timeline-chart.tsx";
import { formatCount, plural } from "../format.ts";
import { timelineSpan } from "../layout/timeline-span.ts";
import type { RunModel } from "../model/run-model.ts";
import { AttemptTable } from "../parts/attempt-table.tsx";
import { Pager } from "../parts/pager.tsx";
import { Panel } from "../parts/panel.tsx";
import { useNow } from "../parts/use-now.ts";

const perPage = 25;
const outcomes: readonly AttemptView["outcome"][] = ["committed", "released", "failed", "lost"];
const windows = {
  all: undefined,
  "the last hour": 3_600_000,
  "the last 10 minutes": 600_000,
  "the last minute": 60_000,
} as const;
type WindowName = keyof typeof windows;

/** Which worker ran which shard when, what was lost, and what was run again. */
export function TimelineView({ model, isLive }: { model: RunModel; isLive: boolean }): JSX.Element {
  const { attempts, attemptsLeftOut, overview } = model;
  const [wanted, setWanted] = useState<AttemptView["outcome"] | "all">("all");
  const [windowName, setWindow] = useState<WindowName>("all");
  const [offset, setOffset] = useState(0);
  const now = useNow(isLive && overview.workers.length > 0);
  const { from, to } = timelineSpan(model, { now, windowMs: windows[windowName] });
  const listed = wanted === "all" ? attempts : attempts.filter(({ outcome }) => outcome === wanted);
  const first = Math.min(offset, Math.max(0, Math.ceil(listed.length / perPage) - 1) * perPage);
  const end = listed.length - first;
  const select = (
    <label>
      Show{" "}
      <select value={windowName} onChange={({ currentTarget }) => setWindow(currentTarget.value as WindowName)}>
        {Object.keys(windows).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
  return (
    <Panel id="timeline-title" title="Timeline" aside={select}>
      {attempts.length === 0 && overview.workers.length === 0 ? (
        <p class="empty">No attempt has been recorded.</p>
      ) : (
        <>
          <OutcomeLegend attempts={attempts} />
          <TimelineChart model={model} from={from} to={to} />
        </>
      )}
      {attemptsLeftOut > 0 && <p class="empty">{plural(attemptsLeftOut, "older attempt")} not shown.</p>}
      {attempts.length > 0 && (
        <>
          <div class="panel-head">
            <h3>Attempts</h3>
            <label>
              Outcome{" "}
              <select
                value={wanted}
                onChange={({ currentTarget }) => {
                  setWanted(currentTarget.value as typeof wanted);
                  setOffset(0);
                }}
              >
                {["all", ...outcomes].map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          </div>
          <AttemptTable caption="Attempts, newest first" attempts={listed.slice(Math.max(0, end - perPage), end)} />
          <Pager what="attempts" total={listed.length} offset={first} limit={perPage} go={setOffset} />
        </>
      )}
    </Panel>
  );
}

function OutcomeLegend({ attempts }: { attempts: readonly AttemptView[] }): JSX.Element {
  return (
    <ul class="legend" aria-label="Attempts by outcome">
      {outcomes.map((name) => (
        <li key={name}>
          <span class={`outcome outcome-${name}`}>{name}</span>
          <b>{formatCount(attempts.filter(({ outcome }) => outcome === name).length)}</b>
        </li>
      ))}
    </ul>
  );
}
