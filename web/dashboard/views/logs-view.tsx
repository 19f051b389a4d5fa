import type { JSX } from "preact";
import { formatBytes } from "../format.ts";
import { LogText } from "../parts/log-text.tsx";
import { Panel } from "../parts/panel.tsx";
import { Problem } from "../parts/problem.tsx";
import { useLoaded } from "../parts/use-loaded.ts";
import { useSource } from "../parts/use-source.ts";

export interface LogsViewProps {
  readonly id: string;
  readonly chosen: string | undefined;
  readonly choose: (name: string) => void;
}

/** The output of workers and drivers: one log at a time, as it grows. */
export function LogsView({ id, chosen, choose }: LogsViewProps): JSX.Element {
  const source = useSource();
  const { value: logs, problem, reload } = useLoaded(() => source.logs(id), [source, id]);
  const log = logs?.find(({ name }) => name === chosen) ?? logs?.[0];
  const aside = logs !== undefined && logs.length > 0 && (
    <label>
      Log{" "}
      <select value={log?.name} onFocus={reload} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {logs.map(({ name, bytes }) => (
          <option key={name} value={name}>
            {`${name} (${formatBytes(bytes)})`}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <Panel id="logs-title" title="Logs" aside={aside}>
      {problem !== undefined && <Problem text={problem} retry={reload} />}
      {logs !== undefined && logs.length === 0 && <p class="empty">There are no logs.</p>}
      {log !== undefined && <LogText key={log.name} id={id} log={log} />}
    </Panel>
  );
}
