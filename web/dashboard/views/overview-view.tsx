import type { JSX } from "preact";
import { describeCalls, describeJobs } from "../../../src/driver/progress/progress-line.ts";
import { isUnderWay } from "../../../src/run-folder/run/run-state.ts";
import { ThroughputChart } from "../charts/throughput-chart.tsx";
import { formatCount, formatDuration, formatMoment, formatPercent } from "../format.ts";
import { ShardLegend } from "../map/shard-legend.tsx";
import { ShardMap } from "../map/shard-map.tsx";
import type { RunModel } from "../model/run-model.ts";
import { Facts } from "../parts/facts.tsx";
import { Panel } from "../parts/panel.tsx";
import { ProgressBar } from "../parts/progress-bar.tsx";
import { RunFailurePanel } from "../parts/run-failure-panel.tsx";
import { useNow } from "../parts/use-now.ts";
import { WorkerTable } from "../parts/worker-table.tsx";

export interface OverviewViewProps {
  readonly model: RunModel;
  readonly isLive: boolean;
  /** Opens a shard, if the map is not shown elsewhere on the page. */
  readonly choose?: (shard: number) => void;
}

/** A run on one screen: progress, rate, time, workers. */
export function OverviewView({ model, isLive, choose }: OverviewViewProps): JSX.Element {
  const {
    items,
    shards,
    itemsPerSecond,
    etaSeconds,
    began,
    ended,
    state,
    failure,
    stalled,
    jobs,
    jobProblems,
    calls,
    workers,
  } = model.overview;
  const isOver = !isUnderWay(state);
  const now = useNow(isLive && !isOver);
  const until = isOver ? (ended ?? began) : now;
  const took = began === null || until === null ? undefined : Math.max(0, until - began) / 1000;
  return (
    <>
      {failure !== null && <RunFailurePanel failure={failure} />}
      {stalled !== undefined && <p class="notice">{stalled}</p>}
      <Panel id="overview-title" title="Progress">
        <Facts
          isLarge
          facts={[
            ["Done", formatPercent(items.done, items.total)],
            ["Items", `${formatCount(items.done)} of ${formatCount(items.total)}`],
            ...(isOver
              ? [["Mean rate", rateText(took ? items.done / took : 0)] as const]
              : [
                  ["Rate", rateText(itemsPerSecond)] as const,
                  ["Time left", etaSeconds === null ? "—" : formatDuration(etaSeconds)] as const,
                ]),
          ]}
        />
        <ProgressBar items={items} />
        <Facts
          facts={[
            ["Failed", failedText(items.failed, failure?.item)],
            ["Dropped", formatCount(items.dropped)],
            ["Shards", `${formatCount(shards.committed)} of ${formatCount(shards.total)}`],
            ...(shards.damaged > 0 ? [["Damaged", formatCount(shards.damaged)] as const] : []),
            ["Began", began === null ? "—" : formatMoment(began)],
            [isOver ? "Took" : "Runs for", took === undefined ? "—" : formatDuration(took)],
            ...(calls === undefined || isOver ? [] : [["Calls", describeCalls(calls)] as const]),
            ...(jobs === null ? [] : [["Cluster", describeJobs(jobs)] as const]),
            ...(jobProblems === undefined ? [] : [["Records", jobProblems.join("; ")] as const]),
          ]}
        />
      </Panel>
      {choose !== undefined && (
        <Panel id="map-title" title="Shards">
          <ShardLegend board={model.board} />
          <ShardMap board={model.board} chosen={undefined} choose={choose} isSmall />
        </Panel>
      )}
      <Panel id="throughput-title" title="Throughput">
        <ThroughputChart rates={model.rates} />
      </Panel>
      {(workers.length > 0 || isLive) && (
        <Panel id="at-work-title" title="At work">
          <WorkerTable workers={workers} />
        </Panel>
      )}
    </>
  );
}

/** The number of skipped items, and the item that ended the run. */
function failedText(skipped: number, ending: number | undefined): string {
  if (ending === undefined) return formatCount(skipped);
  return skipped === 0 ? `item ${ending}` : `${formatCount(skipped)}, and item ${ending}`;
}

function rateText(itemsPerSecond: number): string {
  return itemsPerSecond > 0 ? `${formatCount(itemsPerSecond)} items/s` : "—";
}
