import type { ShardLetter } from "../../../src/dashboard/run-view.ts";

/** The name and look of a shard's state: a colour, and a shape for colour-blind users. */
export interface ShardKind {
  readonly letter: ShardLetter;
  /** The suffix of its class names. */
  readonly name: string;
  readonly label: string;
  /** Drawn on a square of 10 by 10, filled by the even-odd rule. */
  readonly shape: string;
}

const square = "M0 0H10V10H0Z";
const frame = `${square}M1.2 1.2H8.8V8.8H1.2Z`;

/** Every state, in the order of a shard's life. */
export const shardKinds: readonly ShardKind[] = [
  { letter: ".", name: "free", label: "not begun", shape: frame },
  { letter: "r", name: "running", label: "running", shape: `${square}M3 3H7V7H3Z` },
  { letter: "w", name: "waiting", label: "waits for its next attempt", shape: `${frame}M1.2 5H8.8V8.8H1.2Z` },
  { letter: "c", name: "committed", label: "committed", shape: square },
  { letter: "f", name: "failed", label: "committed, with failed items", shape: `${square}M7.2 1H9V2.8L2.8 9H1V7.2Z` },
  { letter: "d", name: "damaged", label: "damaged", shape: "M0 0H3L5 3 7 0H10L7 5 10 10H7L5 7 3 10H0L3 5Z" },
];

/** The state of a letter; an unknown letter is shown as damaged. */
export function shardKind(letter: string): ShardKind {
  return shardKinds.find((kind) => kind.letter === letter) ?? shardKinds.at(-1)!;
}
