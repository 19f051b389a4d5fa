import type { JSX } from "preact";
import type { RunModel } from "../model/run-model.ts";
import { Panel } from "../parts/panel.tsx";
import { WorkerTable } from "../parts/worker-table.tsx";

export function WorkersView({ model }: { model: RunModel }): JSX.Element {
  return (
    <Panel id="workers-title" title="Workers">
      <WorkerTable workers={model.overview.workers} />
    </Panel>
  );
}
