import type { JSX } from "preact";
import { ShardDetails } from "../map/shard-details.tsx";
import { ShardLegend } from "../map/shard-legend.tsx";
import { ShardMap } from "../map/shard-map.tsx";
import type { RunModel } from "../model/run-model.ts";
import { Panel } from "../parts/panel.tsx";

export interface ShardsViewProps {
  readonly id: string;
  readonly model: RunModel;
  readonly chosen: number | undefined;
  readonly choose: (shard: number) => void;
}

/** The map of all shards, and the selected one. */
export function ShardsView({ id, model, chosen, choose }: ShardsViewProps): JSX.Element {
  const isThere = chosen !== undefined && chosen < model.board.size;
  return (
    <Panel id="shards-title" title="Shards">
      <ShardLegend board={model.board} />
      <ShardMap board={model.board} chosen={isThere ? chosen : undefined} choose={choose} />
      {isThere ? (
        <ShardDetails key={chosen} id={id} model={model} shard={chosen} />
      ) : (
        <p class="empty">Choose a shard to see its files and attempts.</p>
      )}
    </Panel>
  );
}
