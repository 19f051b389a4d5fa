import type { JSX } from "preact";
import { formatCount } from "../format.ts";
import type { ShardBoard } from "../model/shard-board.ts";
import { shardKinds } from "../model/shard-kinds.ts";
import { ShapeIcon } from "../parts/shape-icon.tsx";

/** The meaning of the cells, and their counts. */
export function ShardLegend({ board }: { board: ShardBoard }): JSX.Element {
  return (
    <ul class="legend" aria-label="Shards by state">
      {shardKinds.map((kind) => (
        <li key={kind.letter} class={board.countOf(kind.letter) === 0 ? "absent" : ""}>
          <ShapeIcon kind={kind} />
          <span>{kind.label}</span>
          <b>{formatCount(board.countOf(kind.letter))}</b>
        </li>
      ))}
    </ul>
  );
}
