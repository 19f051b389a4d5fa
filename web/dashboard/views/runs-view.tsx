import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { formatCount, formatPercent } from "../format.ts";
import { DataTable } from "../parts/data-table.tsx";
import { Panel } from "../parts/panel.tsx";
import { Problem } from "../parts/problem.tsx";
import { StateChip } from "../parts/state-chip.tsx";
import { useLoaded } from "../parts/use-loaded.ts";
import { useSource } from "../parts/use-source.ts";
import { runAddress } from "../route.ts";

const pollEveryMs = 5000;

/** The runs below the served folder. If the folder itself is a run, that run is opened. */
export function RunsView(): JSX.Element {
  const source = useSource();
  const { value: runs, problem, reload } = useLoaded(() => source.runs(), [source]);
  const only = runs?.length === 1 && runs[0]!.folder === "." && runs[0]!.state !== "unreadable" ? runs[0] : undefined;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && reload(), pollEveryMs);
    return () => clearInterval(timer);
  }, [reload]);
  useEffect(() => {
    if (only !== undefined) location.replace(runAddress(only.id, "overview"));
  }, [only]);
  return (
    <Panel id="runs-title" title="Runs">
      {problem !== undefined && <Problem text={problem} retry={reload} />}
      {runs !== undefined && runs.length === 0 && <p class="empty">There is no run below this folder.</p>}
      {runs !== undefined && runs.length > 0 && (
        <DataTable
          caption="Runs"
          isTitled
          rows={runs}
          keyOf={({ id }) => id}
          columns={[
            {
              head: "Folder",
              isHead: true,
              cell: ({ id, folder, state }) =>
                state === "unreadable" ? folder : <a href={runAddress(id, "overview")}>{folder}</a>,
            },
            { head: "State", cell: ({ state }) => <StateChip state={state} /> },
            {
              head: "Done",
              isNumber: true,
              cell: ({ items }) => (items === undefined ? "—" : formatPercent(items.done, items.total)),
            },
            {
              head: "Items",
              isNumber: true,
              cell: ({ items }) => (items === undefined ? "—" : formatCount(items.total)),
            },
            {
              head: "Failed",
              isNumber: true,
              cell: ({ items }) => (items === undefined ? "—" : formatCount(items.failed)),
            },
            { head: "Problem", cell: ({ error }) => error ?? "" },
          ]}
        />
      )}
    </Panel>
  );
}
