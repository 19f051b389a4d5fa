import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ReportData } from "../../src/dashboard/run-view.ts";
import { formatMoment } from "./format.ts";
import { Announcer } from "./parts/announcer.tsx";
import { Shell } from "./parts/shell.tsx";
import { StateChip } from "./parts/state-chip.tsx";
import { SourceContext } from "./parts/use-source.ts";
import { useStore } from "./parts/use-store.ts";
import { reportSource } from "./source/report-source.ts";
import { openRun } from "./store.ts";
import { ReportView } from "./views/report-view.tsx";

/** A run in one file: all of its parts, one below the other. */
export function Report({ data }: { data: ReportData }): JSX.Element {
  const source = useMemo(() => reportSource(data), [data]);
  const run = useMemo(() => openRun(source, data.card.id), [source, data]);
  const model = useStore(run).model!;
  return (
    <SourceContext.Provider value={source}>
      <Shell note={`Report of ${formatMoment(data.madeAt)}, millrace ${data.version}`}>
        <header class="run-head">
          <div class="run-name">
            <h1>{model.overview.runDir}</h1>
            <StateChip state={model.overview.state} />
          </div>
        </header>
        <ReportView id={data.card.id} model={model} />
      </Shell>
      <Announcer />
    </SourceContext.Provider>
  );
}
