import { cellPlace, type MapLayout, tileShards } from "../layout/map-layout.ts";
import type { ShardBoard } from "../model/shard-board.ts";
import { onColours } from "../parts/theme.ts";
import { makeSprites, type Sprites } from "./sprites.ts";

// Beyond this many tiles, those out of sight release their memory.
const maxCanvases = 64;

interface Tile {
  readonly element: HTMLElement;
  canvas: HTMLCanvasElement | undefined;
}

/**
 * Draws the map in tiles: a tile when it first becomes visible, and after that single cells when their shards change.
 * Scrolling and moving the pointer draw nothing.
 */
export function openMapPainter(
  field: HTMLElement,
  { board, layout, scroller }: { board: ShardBoard; layout: MapLayout; scroller: HTMLElement },
): () => void {
  const scale = devicePixelRatio;
  let sprites: Sprites = makeSprites(field, layout.cell, scale);
  const tiles = new Map<Element, number>();
  const made: Tile[] = [];
  let dirty = new Set<number>();
  let frame: number | undefined;

  const drawCell = (context: CanvasRenderingContext2D, shard: number, top: number) => {
    const { x, y } = cellPlace(layout, shard);
    const [left, upper, size] = [x, y - top, layout.cell].map((value) => Math.round(value * scale)) as [
      number,
      number,
      number,
    ];
    context.clearRect(left, upper, size, size);
    context.drawImage(sprites.of(board.letterOf(shard)), left, upper);
  };
  const topOf = (tile: number) => tile * layout.rowsPerTile * layout.cell;

  const drawTile = (index: number) => {
    const tile = made[index]!;
    const { from, to } = tileShards(layout, index);
    if (tile.canvas === undefined) {
      tile.canvas = document.createElement("canvas");
      const rows = Math.ceil((to - from) / layout.columns);
      const [width, height] = [layout.columns * layout.cell, rows * layout.cell];
      tile.canvas.width = Math.ceil(width * scale);
      tile.canvas.height = Math.ceil(height * scale);
      Object.assign(tile.canvas.style, { width: `${width}px`, height: `${height}px` });
      tile.element.append(tile.canvas);
    }
    const context = tile.canvas.getContext("2d")!;
    for (let shard = from; shard < to; shard++) drawCell(context, shard, topOf(index));
  };

  const drawChanges = () => {
    frame = undefined;
    const changed = dirty;
    dirty = new Set();
    const perTile = layout.rowsPerTile * layout.columns;
    for (const shard of changed) {
      const index = Math.floor(shard / perTile);
      const context = made[index]?.canvas?.getContext("2d");
      if (context != null) drawCell(context, shard, topOf(index));
    }
  };

  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const index = tiles.get(target)!;
        const tile = made[index]!;
        if (isIntersecting && tile.canvas === undefined) drawTile(index);
        else if (!isIntersecting && tile.canvas !== undefined && made.length > maxCanvases) {
          tile.canvas.remove();
          tile.canvas = undefined;
        }
      }
    },
    { root: scroller, rootMargin: "300px 0px" },
  );
  for (let index = 0; index < layout.tiles; index++) {
    const element = document.createElement("div");
    element.className = "map-tile";
    const { from, to } = tileShards(layout, index);
    const height = Math.ceil((to - from) / layout.columns) * layout.cell;
    Object.assign(element.style, { top: `${topOf(index)}px`, height: `${height}px` });
    field.append(element);
    tiles.set(element, index);
    made.push({ element, canvas: undefined });
    observer.observe(element);
  }

  const stops = [
    board.listen((changed) => {
      for (const shard of changed) dirty.add(shard);
      frame ??= requestAnimationFrame(drawChanges);
    }),
    onColours(() => {
      sprites = makeSprites(field, layout.cell, scale);
      made.forEach(({ canvas }, index) => {
        if (canvas !== undefined) drawTile(index);
      });
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    if (frame !== undefined) cancelAnimationFrame(frame);
    observer.disconnect();
    for (const { element } of made) element.remove();
  };
}
