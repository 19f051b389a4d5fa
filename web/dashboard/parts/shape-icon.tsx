import type { JSX } from "preact";
import type { ShardKind } from "../model/shard-kinds.ts";

/** The cell of a state as it is on the map. */
export function ShapeIcon({ kind }: { kind: ShardKind }): JSX.Element {
  return (
    <svg class={`shape shard-${kind.name}`} viewBox="0 0 10 10" width="12" height="12" aria-hidden="true">
      <path d={kind.shape} fill-rule="evenodd" />
    </svg>
  );
}
