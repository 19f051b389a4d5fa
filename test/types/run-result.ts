// Compiled, never run: each line below `@ts-expect-error` must be a mistake in the eyes of the compiler.
import {
  BaseRunner,
  BatchRunner,
  defineRunner,
  EnvironmentProvider,
  jsonlWriter,
  range,
  type ShardPlace,
  type ShardState,
  type SubmittedRun,
  textWriter,
  type Writer,
} from "millrace";
import { same } from "./same.ts";

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

// run gives what merge gives: by default the records, without those that were dropped.
export class SquareRunner extends BaseRunner<Env, Square> {
  static forward(idx: number, { power }: Env): Square {
    return { value: idx ** power };
  }
}
defineRunner(import.meta, SquareRunner);

export class DroppingRunner extends BaseRunner<Env, Square | null> {
  static async forward(idx: number, { power }: Env): Promise<Square | null> {
    return idx === 0 ? null : { value: idx ** power };
  }
}
defineRunner(import.meta, DroppingRunner);

export class SumRunner extends BaseRunner<Env, Square> {
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

export async function wrongUses(): Promise<void> {
  // @ts-expect-error The default merge gives the records.
  const sum: { readonly sum: number } = await new SquareRunner(provider).run(range(3));
  // @ts-expect-error What merge returns is not written down: there is no type argument for it.
  const wrong: BaseRunner<Env, Square, number> | undefined = undefined;
  const submitted = await new SquareRunner(provider, { outputDir: "exp" }).run(range(3), { asyncMode: true });
  same<typeof submitted, SubmittedRun>(true);
  // @ts-expect-error A submitted run has no records yet.
  submitted.map(({ value }: Square) => value);
  // @ts-expect-error In a constructor it could not change what run returns.
  new SquareRunner(provider, { asyncMode: true });
  // @ts-expect-error Its forward takes one index.
  new SquareRunner(provider, { batchSize: 2 });
  new ManyRunner(provider, { batchSize: 2 });
  console.log(sum, wrong);
}

// The static forward fits env and result.
export class WrongResultRunner extends BaseRunner<Env, Square> {
  static forward(idx: number): { readonly valu: number } {
    return { valu: idx };
  }
}
// @ts-expect-error `valu` is not `value`.
defineRunner(import.meta, WrongResultRunner);

export class WrongEnvRunner extends BaseRunner<Env, Square> {
  static forward(idx: number, { powr }: { readonly powr: number }): Square {
    return { value: idx ** powr };
  }
}
// @ts-expect-error The env has no `powr`.
defineRunner(import.meta, WrongEnvRunner);

export class WrongIndexRunner extends BaseRunner<Env, Square> {
  static forward(id: string): Square {
    return { value: id.length };
  }
}
// @ts-expect-error An item is a number.
defineRunner(import.meta, WrongIndexRunner);

export class LackingRunner extends BaseRunner<Env, Square> {}
// @ts-expect-error There is no forward that gives a square.
defineRunner(import.meta, LackingRunner);

export class ObjectRunner extends BaseRunner<Env, Square> {
  // @ts-expect-error Hooks are static.
  forward(idx: number, { power }: Env): Square {
    return { value: idx ** power };
  }
}

export class MisspeltRunner extends SquareRunner {
  static writeRecords(): void {}
}
// @ts-expect-error There is no hook writeRecords.
defineRunner(import.meta, MisspeltRunner);

export class SwappedRunner extends SquareRunner {
  static wrtieRecord(): void {}
}
// @ts-expect-error There is no hook wrtieRecord.
defineRunner(import.meta, SwappedRunner);

export class ShortRunner extends SquareRunner {
  static close_writer(): void {}
}
// @ts-expect-error There is no hook close_writer.
defineRunner(import.meta, ShortRunner);

// Other statics are the class's own affair.
export class HelperRunner extends SquareRunner {
  static readonly format = "text";
  static write(): void {}
}
defineRunner(import.meta, HelperRunner);

export class ManyRunner extends BatchRunner<Env, Square> {
  static forward(indices: readonly number[], { power }: Env): Square[] {
    return indices.map((idx) => ({ value: idx ** power }));
  }
}
defineRunner(import.meta, ManyRunner);

export class OneForManyRunner extends BatchRunner<Env, Square> {
  static forward(idx: number, { power }: Env): Square {
    return { value: idx ** power };
  }
}
// @ts-expect-error It gets an array of indices.
defineRunner(import.meta, OneForManyRunner);

// Writers and state of its own: interfaces, and no cast.
interface SquareWriters {
  readonly lines: Writer<string>;
  readonly rows: Writer<Square>;
}

interface SquareState extends ShardState {
  sum: number;
}

export class WritingRunner extends ManyRunner {
  static override openWriters(shardDir: string): SquareWriters {
    return { lines: textWriter(shardDir, "lines"), rows: jsonlWriter(shardDir) };
  }

  static override async initState(place: ShardPlace, env: Env): Promise<SquareState> {
    return { ...(await super.initState(place, env)), sum: 0 };
  }

  static override writeRecord({ lines, rows }: SquareWriters, square: Square, state: SquareState): void {
    lines.write(square.value.toFixed());
    rows.write(square);
    state.sum += square.value;
  }

  static override async closeWriters({ lines, rows }: SquareWriters, { sum }: SquareState): Promise<object> {
    await lines.close();
    await rows.close();
    return { half: sum / 2 };
  }
}
defineRunner(import.meta, WritingRunner);

export class ReducingRunner extends ManyRunner {
  static override async initState(place: ShardPlace, env: Env): Promise<SquareState> {
    return { ...(await super.initState(place, env)), sum: 0 };
  }

  static override reduceState(state: SquareState, { value }: Square): SquareState {
    state.sum += value;
    return state;
  }
}
defineRunner(import.meta, ReducingRunner);

export class WrongWritingRunner extends ManyRunner {
  static override writeRecord(_writers: object, squares: Square[]): void {
    squares.at(0);
  }
}
// @ts-expect-error writeRecord gets one square, not those of the batch.
defineRunner(import.meta, WrongWritingRunner);

export class OtherResultRunner extends SquareRunner {
  static override writeRecord(_writers: object, { text }: { readonly text: string }): void {
    text.trim();
  }
}
// @ts-expect-error A square has no text.
defineRunner(import.meta, OtherResultRunner);

export class WrongReducingRunner extends SquareRunner {
  static override reduceState(state: ShardState, squares: Square[]) {
    squares.at(0);
    return state;
  }
}
// @ts-expect-error reduceState gets one square.
defineRunner(import.meta, WrongReducingRunner);

// A runner that wants the batch says so.
export class WholeRunner extends ManyRunner {
  static override writeBatch(_writers: object, squares: readonly (Square | null)[]): void {
    squares.at(0);
  }
}
defineRunner(import.meta, WholeRunner);

export class LateWholeRunner extends BatchRunner<Env, { readonly sum: number }> {
  static async forward(indices: readonly number[]) {
    return { sum: indices.length };
  }
  static override async writeBatch(_writers: object, { sum }: { readonly sum: number }) {
    sum.toFixed();
  }
}
defineRunner(import.meta, LateWholeRunner);
