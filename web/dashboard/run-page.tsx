import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { formatPercent } from "./format.ts";
import { LinkSign } from "./parts/link-sign.tsx";
import { RunActions } from "./parts/run-actions.tsx";
import { StateChip } from "./parts/state-chip.tsx";
import { useSource } from "./parts/use-source.ts";
import { useStore } from "./parts/use-store.ts";
import { type RunViewName, runAddress, runViews } from "./route.ts";
import { openRun } from "./store.ts";
import { RunView } from "./views/run-view.tsx";

export interface RunPageProps {
  readonly id: string;
  readonly view: RunViewName;
  readonly detail: string | undefined;
}

/** One run, updated live. */
export function RunPage({ id, view, detail }: RunPageProps): JSX.Element {
  const source = useSource();
  const run = useMemo(() => openRun(source, id), [source, id]);
  useEffect(() => () => run.close(), [run]);
  const { link, model } = useStore(run);
  const overview = model?.overview;
  useTitle(
    overview === undefined
      ? "millrace"
      : `${formatPercent(overview.items.done, overview.items.total)} · ${overview.runDir}`,
  );
  useFocusOnChange(view);
  return (
    <>
      <header class="run-head">
        <div class="run-name">
          <h1>{overview?.runDir ?? id}</h1>
          {overview !== undefined && <StateChip state={overview.state} stopping={overview.stopping} />}
          <LinkSign link={link} />
        </div>
        {overview !== undefined && <RunActions id={id} overview={overview} />}
      </header>
      <nav class="tabs" aria-label="Parts of the run">
        <ul>
          {runViews.map((name) => (
            <li key={name}>
              <a href={runAddress(id, name)} aria-current={name === view ? "page" : undefined}>
                {name}
                {name === "failures" && overview !== undefined && overview.items.failed > 0 && (
                  <span class="count">{overview.items.failed.toLocaleString("en-US")}</span>
                )}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {model === undefined ? (
        <p class="empty">
          {link === "lost" ? "The server does not respond, or there is no such run. " : "Reading the run…"}
          {link === "lost" && <a href="#/">See all runs</a>}
        </p>
      ) : (
        <RunView id={id} model={model} view={view} detail={detail} />
      )}
    </>
  );
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** After following a link by keyboard, reading continues at the new heading; not on the first page. */
function useFocusOnChange(view: RunViewName): void {
  const before = useRef(view);
  useEffect(() => {
    if (before.current === view) return;
    before.current = view;
    document.querySelector<HTMLElement>(".panel h2")?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [view]);
}
