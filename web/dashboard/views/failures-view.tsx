import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { FailureView } from "../../../src/dashboard/run-view.ts";
import { formatCount } from "../format.ts";
import type { RunModel } from "../model/run-model.ts";
import { CopyLine } from "../parts/copy-button.tsx";
import { Pager } from "../parts/pager.tsx";
import { Panel } from "../parts/panel.tsx";
import { Problem } from "../parts/problem.tsx";
import { RetryButton } from "../parts/run-actions.tsx";
import { useLoaded } from "../parts/use-loaded.ts";
import { useSource } from "../parts/use-source.ts";

const perPage = 25;

/** The failed items, their errors, and how to run them again. */
export function FailuresView({ id, model }: { id: string; model: RunModel }): JSX.Element {
  const source = useSource();
  const [offset, setOffset] = useState(0);
  const { failure, items } = model.overview;
  const { failed } = items;
  const { value, problem, reload } = useLoaded(
    () => source.failures(id, offset, perPage),
    [source, id, offset, failed, model.overview.state],
  );
  const kept = source.keptFailures ?? value?.total ?? 0;
  return (
    <Panel
      id="failures-title"
      title="Failures"
      aside={source.isLive && <RetryButton id={id} overview={model.overview} />}
    >
      {problem !== undefined && <Problem text={problem} retry={reload} />}
      {failure?.item !== undefined && (
        <>
          <p>Item {formatCount(failure.item)} ended the run; the next start tries it again:</p>
          <p class="error-text">
            <b>{failure.code}</b>
            <span>{failure.message}</span>
          </p>
        </>
      )}
      {value !== undefined && value.total === 0 && (
        <p class="empty">{failure?.item === undefined ? "No item has failed." : "No item was skipped."}</p>
      )}
      {value !== undefined && value.total > 0 && (
        <>
          <p>{formatCount(value.total)} failed. This runs only them again, and inserts the results of those that succeed:</p>
          <CopyLine text={value.retryCommand} what="the command" />
          {kept < value.total && <p class="empty">The first {formatCount(kept)} of them are listed.</p>}
          <ol class="failures" aria-label="Failed items">
            {value.failures.map((failure) => (
              <Failure key={`${failure.shard} ${failure.item}`} failure={failure} />
            ))}
          </ol>
          <Pager what="failures" total={kept} offset={offset} limit={perPage} go={setOffset} />
        </>
      )}
    </Panel>
  );
}

function Failure({ failure }: { failure: FailureView }): JSX.Element {
  const { item, id, shard, attempt, tries, error } = failure;
  return (
    <li>
      <h3>
        Item {formatCount(item)}
        {id !== undefined && ` (${id})`}
        <small>
          shard {shard}, attempt {attempt}, {tries === 1 ? "tried once" : `tried ${tries} times`}
        </small>
      </h3>
      <p class="error-text">
        <b>{error.code === undefined ? error.name : `${error.name} [${error.code}]`}</b>
        <span>{error.message}</span>
      </p>
      {error.stack !== undefined && (
        <details>
          <summary>Stack</summary>
          <pre>{error.stack}</pre>
        </details>
      )}
    </li>
  );
}
