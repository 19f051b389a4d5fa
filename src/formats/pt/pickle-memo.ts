import type { PickleNode } from "./pickle-nodes.ts";

/**
 * The memo of a pickle, by numbers that the file chooses. An array finds any of them fast; a Map can be made slow by
 * chosen numbers.
 */
export class PickleMemo {
  private readonly values: PickleNode[] = [];
  /** The number of stored values. */
  size = 0;

  get(number: number): PickleNode | undefined {
    return this.values[number];
  }

  set(number: number, value: PickleNode): void {
    if (this.values[number] === undefined) this.size++;
    this.values[number] = value;
  }
}
