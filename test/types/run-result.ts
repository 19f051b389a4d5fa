// Compiled, never run: each line below `@ts-expect-error` must be a mistake in the eyes of the compiler.
import {
  BaseRunner,
  type BatchRunnerClass,
  EnvironmentProvider,
  type RunnerClass,
  range,
  type ShardState,
  type Writers,
} from "millrace";

interface Env {
  readonly power: number;
}

interface Square {
  readonly value: number;
}

class PowerProvider extends EnvironmentProvider<Env> {
  buildEnvLocal(): Env {
    return { power: 2 };
  }
}
const provider = new PowerProvider({});

/** Compiles only where both types are the very same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_isSame: Same<A, B>): void => {};

// run gives what merge gives: by default the records, without those that were dropped.
export class SquareRunner extends BaseRunner<Env, Square> {
  static forward(idx: number, { power }: Env): Square {
    return { value: idx ** power };
  }
}
SquareRunner satisfies RunnerClass<Env, Square>;

export class DroppingRunner extends BaseRunner<Env, Square | null> {
  static async forward(idx: number, { power }: Env): Promise<Square | null> {
    return idx === 0 ? null : { value: idx ** power };
  }
}
DroppingRunner satisfies RunnerClass<Env, Square | null>;

export class SumRunner extends BaseRunner<Env, Square, { readonly sum: number }> {
  static forward(idx: number, { power }: Env): Square {
    return { value: idx ** power };
  }

  override merge(shardDirs: string[]): { readonly sum: number } {
    return { sum: shardDirs.length };
  }
}

export async function results(): Promise<void> {
  const squares = await new SquareRunner(provider).run(range(3));
  same<typeof squares, Square[]>(true);
  // @ts-expect-error Records of squares are no numbers.
  same<typeof squares, number[]>(true);

  const kept = await new DroppingRunner(provider).run([1, 2]);
  same<typeof kept, Square[]>(true);

  const total = await new SumRunner(provider).run(range(3));
  same<typeof total, { readonly sum: number }>(true);

  const again = await new SumRunner(provider).retryFailed({ error: /x/ });
  same<typeof again, { readonly sum: number }>(true);

  // @ts-expect-error Items are indices.
  await new SquareRunner(provider).run(["utt-1"]);
  // @ts-expect-error A number is no list of items.
  await new SquareRunner(provider).run(3);
}

export class WrongMergeRunner extends BaseRunner<Env, Square, number> {
  // @ts-expect-error merge gives a number here.
  override merge(): string {
    return "3";
  }
}

// The static forward fits env and result.
export class WrongResultRunner extends BaseRunner<Env, Square> {
  static forward(idx: number): { readonly valu: number } {
    return { valu: idx };
  }
}
// @ts-expect-error `valu` is not `value`.
WrongResultRunner satisfies RunnerClass<Env, Square>;

export class WrongEnvRunner extends BaseRunner<Env, Square> {
  static forward(idx: number, { powr }: { readonly powr: number }): Square {
    return { value: idx ** powr };
  }
}
// @ts-expect-error The env has no `powr`.
WrongEnvRunner satisfies RunnerClass<Env, Square>;

export class WrongIndexRunner extends BaseRunner<Env, Square> {
  static forward(id: string): Square {
    return { value: id.length };
  }
}
// @ts-expect-error An item is a number.
WrongIndexRunner satisfies RunnerClass<Env, Square>;

export class LackingRunner extends BaseRunner<Env, Square> {}
// @ts-expect-error There is no forward that gives a square.
LackingRunner satisfies RunnerClass<Env, Square>;

export class BatchRunner extends BaseRunner<Env, Square> {
  static forward(indices: number[], { power }: Env): Square[] {
    return indices.map((idx) => ({ value: idx ** power }));
  }
}
BatchRunner satisfies BatchRunnerClass<Env, Square>;
// @ts-expect-error It gets an array of indices.
BatchRunner satisfies RunnerClass<Env, Square>;
// @ts-expect-error It gets one index.
SquareRunner satisfies BatchRunnerClass<Env, Square>;

// The hooks that write get one result an item, whatever the batch.
export class WritingRunner extends BatchRunner {
  static override writeRecord(_writers: Writers, { value }: Square): void {
    value.toFixed();
  }
}
WritingRunner satisfies BatchRunnerClass<Env, Square>;

export class ReducingRunner extends BatchRunner {
  static override reduceState(state: ShardState & { sum: number }, { value }: Square) {
    state.sum += value;
    return state;
  }
}
ReducingRunner satisfies BatchRunnerClass<Env, Square>;

export class WrongWritingRunner extends BatchRunner {
  static override writeRecord(_writers: Writers, squares: Square[]): void {
    squares.at(0);
  }
}
// @ts-expect-error writeRecord gets one square, not those of the batch.
WrongWritingRunner satisfies BatchRunnerClass<Env, Square>;

export class WrongReducingRunner extends SquareRunner {
  static override reduceState(state: ShardState, squares: Square[]) {
    squares.at(0);
    return state;
  }
}
// @ts-expect-error reduceState gets one square.
WrongReducingRunner satisfies RunnerClass<Env, Square>;

// A runner that wants the batch says so.
export class WholeRunner extends BatchRunner {
  static override writeBatch(
    _writers: Writers,
    squares: readonly (Square | null)[],
    state: ShardState,
    { power }: Env,
  ) {
    state["count"] = squares.length * power;
  }
}
WholeRunner satisfies BatchRunnerClass<Env, Square>;

export class LateWholeRunner extends BaseRunner<Env, { readonly sum: number }> {
  static async forward(indices: number[]) {
    return { sum: indices.length };
  }
  static override async writeBatch(_writers: Writers, { sum }: { readonly sum: number }) {
    sum.toFixed();
  }
}

export class MisspeltWholeRunner extends BatchRunner {
  // @ts-expect-error It is writeBatch.
  static override writeBatches(): void {}
}
