import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { RunModel } from "../model/run-model.ts";
import { FailuresView } from "./failures-view.tsx";
import { LogsView } from "./logs-view.tsx";
import { OverviewView } from "./overview-view.tsx";
import { PlanView } from "./plan-view.tsx";
import { ShardsView } from "./shards-view.tsx";
import { TimelineView } from "./timeline-view.tsx";

const parts = ["overview", "shards", "timeline", "failures", "plan", "logs"] as const;

/** Everything at once, with links to its parts. */
export function ReportView({ id, model }: { id: string; model: RunModel }): JSX.Element {
  const [shard, chooseShard] = useState<number | undefined>(undefined);
  const [log, chooseLog] = useState<string | undefined>(undefined);
  return (
    <>
      <nav class="tabs" aria-label="Parts of the report">
        <ul>
          {parts.map((name) => (
            <li key={name}>
              <a href={`#${name}-title`}>{name}</a>
            </li>
          ))}
        </ul>
      </nav>
      <OverviewView model={model} isLive={false} />
      <ShardsView id={id} model={model} chosen={shard} choose={chooseShard} />
      <TimelineView model={model} isLive={false} />
      <FailuresView id={id} model={model} />
      <PlanView id={id} />
      <LogsView id={id} chosen={log} choose={chooseLog} />
    </>
  );
}
