import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WorkerView } from "../../../src/dashboard/run-view.ts";
import { describeCalls } from "../../../src/driver/progress/progress-line.ts";
import { formatBytes, formatCount, formatSpan } from "../format.ts";
import { DataTable } from "./data-table.tsx";
import { Pager } from "./pager.tsx";

const perPage = 50;

/** The active workers: their shards, rates, and last heartbeats. */
export function WorkerTable({ workers }: { workers: readonly WorkerView[] }): JSX.Element {
  const [offset, setOffset] = useState(0);
  const first = offset < workers.length ? offset : 0;
  if (workers.length === 0) return <p class="empty">No worker is active.</p>;
  return (
    <>
      <DataTable
        caption="Workers"
        isTitled
        rows={workers.slice(first, first + perPage)}
        keyOf={({ worker }) => worker}
        columns={[
          { head: "Worker", cell: ({ worker }) => worker, isHead: true },
          { head: "Host", cell: ({ host }) => host },
          { head: "PID", cell: ({ pid }) => pid, isNumber: true },
          { head: "Shard", cell: ({ shard }) => shard ?? "—", isNumber: true },
          {
            head: "Position",
            cell: ({ shard, position, shardItems }) =>
              shard === null ? "—" : `${formatCount(position)} of ${formatCount(shardItems)}`,
            isNumber: true,
          },
          ...(workers.some(({ itemId }) => itemId !== undefined)
            ? [{ head: "Item", cell: ({ itemId }: WorkerView) => itemId ?? "—" }]
            : []),
          { head: "Items/s", cell: ({ itemsPerSecond }) => formatCount(itemsPerSecond), isNumber: true },
          ...(workers.some(({ calls }) => calls !== undefined)
            ? [
                {
                  head: "Calls",
                  cell: ({ calls }: WorkerView) => (calls === undefined ? "—" : describeCalls(calls)),
                },
              ]
            : []),
          { head: "Memory", cell: ({ rss }) => (rss === null ? "—" : formatBytes(rss)), isNumber: true },
          { head: "Last heartbeat", cell: ({ heartbeatAgeMs }) => `${formatSpan(heartbeatAgeMs)} ago`, isNumber: true },
        ]}
      />
      <Pager what="workers" total={workers.length} offset={first} limit={perPage} go={setOffset} />
    </>
  );
}
