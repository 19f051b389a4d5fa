import type { ShardLetter } from "../../../src/dashboard/run-view.ts";
import { shardKind, shardKinds } from "../model/shard-kinds.ts";

/** The cell of each state, drawn once. */
export interface Sprites {
  of(letter: ShardLetter): HTMLCanvasElement;
}

/** Draws each state once, in the current colours of the style sheet. */
export function makeSprites(place: HTMLElement, cell: number, scale: number): Sprites {
  const size = Math.round((cell - (cell >= 14 ? 2 : 1)) * scale);
  const sprites = new Map(
    shardKinds.map(({ letter, name, shape }) => {
      const sprite = document.createElement("canvas");
      sprite.width = size;
      sprite.height = size;
      const context = sprite.getContext("2d")!;
      context.fillStyle = colourOf(place, name);
      context.scale(size / 10, size / 10);
      context.fill(new Path2D(shape), "evenodd");
      return [letter, sprite] as const;
    }),
  );
  return { of: (letter) => sprites.get(shardKind(letter).letter)! };
}

function colourOf(place: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.className = `shard-${name}`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
