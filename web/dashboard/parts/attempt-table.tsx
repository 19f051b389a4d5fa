import type { JSX } from "preact";
import type { AttemptView } from "../../../src/dashboard/run-view.ts";
import { formatCount, formatMoment, formatSpan } from "../format.ts";
import { unitName } from "../model/unit-name.ts";
import { DataTable } from "./data-table.tsx";

/** Attempts as a table, newest first. */
export function AttemptTable({
  caption,
  attempts,
}: {
  caption: string;
  attempts: readonly AttemptView[];
}): JSX.Element {
  return (
    <DataTable
      caption={caption}
      rows={attempts.toReversed()}
      keyOf={({ unit, attempt, worker, ended }) => `${unit} ${attempt} ${worker} ${ended}`}
      columns={[
        { head: "Unit", cell: ({ unit }) => unitName(unit), isHead: true },
        { head: "Attempt", cell: ({ attempt }) => attempt, isNumber: true },
        { head: "Outcome", cell: ({ outcome }) => <span class={`outcome outcome-${outcome}`}>{outcome}</span> },
        { head: "Worker", cell: ({ worker }) => worker },
        { head: "Host", cell: ({ host }) => host },
        { head: "Began", cell: ({ began }) => formatMoment(began) },
        { head: "Took", cell: ({ began, ended }) => formatSpan(ended - began), isNumber: true },
        { head: "Items", cell: ({ items }) => formatCount(items), isNumber: true },
        { head: "Failed", cell: ({ failed }) => formatCount(failed), isNumber: true },
        { head: "Reason", cell: ({ reason }) => reason ?? "" },
      ]}
    />
  );
}
