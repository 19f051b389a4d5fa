import type { JSX } from "preact";
import { formatBytes, formatCount } from "../format.ts";
import type { RunModel } from "../model/run-model.ts";
import { shardKind } from "../model/shard-kinds.ts";
import { AttemptTable } from "../parts/attempt-table.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { Facts } from "../parts/facts.tsx";
import { Problem } from "../parts/problem.tsx";
import { ShapeIcon } from "../parts/shape-icon.tsx";
import { useLoaded } from "../parts/use-loaded.ts";
import { useSource } from "../parts/use-source.ts";

export interface ShardDetailsProps {
  readonly id: string;
  readonly model: RunModel;
  readonly shard: number;
}

/** The details of one shard: its files in the run folder, and its attempts. */
export function ShardDetails({ id, model, shard }: ShardDetailsProps): JSX.Element {
  const source = useSource();
  const letter = model.board.letterOf(shard);
  const attempts = model.attempts.filter(({ unit }) => unit === shard);
  const { value, problem, reload } = useLoaded(
    () => source.shard(id, shard),
    [source, id, shard, letter, attempts.length],
  );
  const kind = shardKind(letter);
  const view = value?.shard === shard ? value : undefined;
  return (
    <section class="details" aria-labelledby="shard-title" aria-live="polite">
      <h3 id="shard-title">
        <ShapeIcon kind={kind} /> Shard {shard}
      </h3>
      {problem !== undefined && <Problem text={problem} retry={reload} />}
      <Facts
        facts={[
          ["State", kind.label],
          ...(view === undefined
            ? []
            : [["Items", `${formatCount(view.from)} to ${formatCount(view.to - 1)}`] as const]),
          ...(view?.worker == null ? [] : [["Worker", view.worker] as const]),
          ...(view?.attempt == null ? [] : [["Attempt", String(view.attempt)] as const]),
          ...(view?.counts == null
            ? []
            : [
                [
                  "Outcome",
                  `${formatCount(view.counts.written)} written, ${formatCount(view.counts.dropped)} dropped, ${formatCount(view.counts.failed)} failed`,
                ] as const,
              ]),
        ]}
      />
      {view !== undefined && view.files.length > 0 && (
        <DataTable
          caption={`Files of shard ${shard}`}
          rows={view.files}
          keyOf={({ name }) => name}
          columns={[
            { head: "File", cell: ({ name }) => name, isHead: true },
            { head: "Size", cell: ({ bytes }) => formatBytes(bytes), isNumber: true },
          ]}
        />
      )}
      {attempts.length > 0 && <AttemptTable caption={`Attempts at shard ${shard}`} attempts={attempts} />}
    </section>
  );
}
