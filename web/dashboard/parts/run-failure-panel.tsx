import type { JSX } from "preact";
import type { Overview } from "../../../src/dashboard/run-view.ts";
import { formatMoment } from "../format.ts";
import { Facts } from "./facts.tsx";
import { Panel } from "./panel.tsx";

/** The error that ended a run: what, where, when, and what to do. */
export function RunFailurePanel({ failure }: { failure: NonNullable<Overview["failure"]> }): JSX.Element {
  const { code, message, hint, item, itemId, place, worker, at } = failure;
  return (
    <Panel id="run-failure-title" title="An error ended the run">
      <p class="error-text">
        <b>{code}</b>
        <span>{message}</span>
      </p>
      {hint !== undefined && <p>{hint}</p>}
      <Facts
        facts={[
          ...(item === undefined
            ? []
            : [["Item", itemId === undefined ? String(item) : `${item} (${itemId})`] as const]),
          ...(place === undefined ? [] : [["Place", place] as const]),
          ...(worker === undefined ? [] : [["Worker", worker] as const]),
          ...(at === undefined ? [] : [["Time", formatMoment(at)] as const]),
        ]}
      />
    </Panel>
  );
}
