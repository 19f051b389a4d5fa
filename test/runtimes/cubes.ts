import { defineRun } from "millrace";

interface Cube {
  readonly i: number;
  readonly cube: number;
}

export const cubes = defineRun(import.meta, {
  env: () => ({ power: 3 }),
  forward: (i: number, { power }): Cube => ({ i, cube: i ** power }),
});
