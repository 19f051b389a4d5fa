import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { cellPlace, layoutMap, shardAt, shardByKey } from "../layout/map-layout.ts";
import type { ShardBoard } from "../model/shard-board.ts";
import { shardKind } from "../model/shard-kinds.ts";
import { useWidth } from "../parts/use-width.ts";
import { openMapPainter } from "./map-painter.ts";

export interface ShardMapProps {
  readonly board: ShardBoard;
  readonly chosen: number | undefined;
  readonly choose: (shard: number) => void;
  /** A smaller map as one part of a page. */
  readonly isSmall?: boolean;
}

/** Every shard as a cell. Arrow keys move between them, Enter or a click selects one. */
export function ShardMap({ board, chosen, choose, isSmall }: ShardMapProps): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLDivElement>(null);
  const cursor = useRef<HTMLDivElement>(null);
  const width = useWidth(field);
  const layout = useMemo(() => layoutMap(board.size, width), [board, width]);
  const [at, setAt] = useState<number | undefined>(chosen);
  const [, drawAgain] = useState(0);

  useEffect(() => {
    if (width === 0) return undefined;
    return openMapPainter(field.current!, { board, layout, scroller: scroller.current! });
  }, [board, layout, width]);

  useEffect(() => {
    const { style } = cursor.current!;
    style.display = at === undefined || width === 0 ? "none" : "block";
    if (at === undefined) return;
    const { x, y } = cellPlace(layout, at);
    Object.assign(style, {
      width: `${layout.cell}px`,
      height: `${layout.cell}px`,
      transform: `translate(${x}px, ${y}px)`,
    });
  }, [at, layout, width]);

  // The text below shows the state of one shard: only changes of that shard matter to it.
  useEffect(
    () => board.listen((changed) => at !== undefined && changed.includes(at) && drawAgain((count) => count + 1)),
    [board, at],
  );

  const shardBelow = ({ clientX, clientY }: { clientX: number; clientY: number }) => {
    const { left, top } = field.current!.getBoundingClientRect();
    return shardAt(layout, clientX - left, clientY - top);
  };
  const move = (event: KeyboardEvent) => {
    const current = at ?? 0;
    if (event.key === "Enter" || event.key === " ") choose(current);
    const next = at === undefined ? current : shardByKey(layout, current, event.key);
    if (event.key === "Tab" || (next === undefined && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    if (next === undefined) return;
    setAt(next);
    showRow(scroller.current!, cellPlace(layout, next).y, layout.cell);
  };
  const text = at === undefined ? "" : `Shard ${at}: ${shardKind(board.letterOf(at)).label}`;

  return (
    <>
      <div
        ref={scroller}
        class={isSmall ? "map map-small" : "map"}
        role="slider"
        tabIndex={0}
        aria-label="Map of the shards: arrow keys move, Enter shows details"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, board.size - 1)}
        aria-valuenow={at ?? 0}
        aria-valuetext={`shard ${at ?? 0}`}
        onKeyDown={move}
        onFocus={() => setAt((shard) => shard ?? 0)}
        onPointerMove={(event) => setAt((shard) => shardBelow(event) ?? shard)}
        onClick={(event) => {
          const shard = shardBelow(event);
          if (shard !== undefined) choose(shard);
        }}
      >
        <div ref={field} class="map-field" style={{ height: `${layout.height}px` }}>
          <div ref={cursor} class="map-cursor" />
        </div>
      </div>
      <p class="readout" role="status">
        {text}
      </p>
    </>
  );
}

/** Scrolls only as far as needed to see a row. */
function showRow(scroller: HTMLElement, y: number, cell: number): void {
  if (y < scroller.scrollTop) scroller.scrollTop = y;
  else if (y + cell > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = y + cell - scroller.clientHeight;
}
