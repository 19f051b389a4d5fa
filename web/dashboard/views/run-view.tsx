import type { JSX } from "preact";
import type { RunModel } from "../model/run-model.ts";
import { useSource } from "../parts/use-source.ts";
import { type RunViewName, runAddress } from "../route.ts";
import { FailuresView } from "./failures-view.tsx";
import { LogsView } from "./logs-view.tsx";
import { OverviewView } from "./overview-view.tsx";
import { PlanView } from "./plan-view.tsx";
import { ShardsView } from "./shards-view.tsx";
import { TimelineView } from "./timeline-view.tsx";
import { WorkersView } from "./workers-view.tsx";

export interface RunViewProps {
  readonly id: string;
  readonly model: RunModel;
  readonly view: RunViewName;
  readonly detail: string | undefined;
}

/** The part of a run that the address names; the selection in it is part of the address too. */
export function RunView({ id, model, view, detail }: RunViewProps): JSX.Element {
  const { isLive } = useSource();
  const go = (place: string, to: RunViewName = view) => {
    location.hash = runAddress(id, to, place);
  };
  switch (view) {
    case "overview":
      return <OverviewView model={model} isLive={isLive} choose={(shard) => go(String(shard), "shards")} />;
    case "shards": {
      const chosen = detail !== undefined && /^\d{1,9}$/.test(detail) ? Number(detail) : undefined;
      return <ShardsView id={id} model={model} chosen={chosen} choose={(shard) => go(String(shard))} />;
    }
    case "workers":
      return <WorkersView model={model} />;
    case "timeline":
      return <TimelineView model={model} isLive={isLive} />;
    case "failures":
      return <FailuresView id={id} model={model} />;
    case "logs":
      return <LogsView id={id} chosen={detail} choose={go} />;
    case "plan":
      return <PlanView id={id} />;
  }
}
