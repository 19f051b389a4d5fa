import type { ItemError } from "../errors/item-error.ts";
import type { CallContext } from "./call-context.ts";
import type { Awaitable, OfSubclass, ShardPlace } from "./runner-hooks.ts";
import type { ItemIndex } from "./runner-options.ts";

/** The type arguments of a runner class. */
export interface RunnerTypes<Env extends object, Result, Own extends object, Index extends ItemIndex> {
  readonly env: Env;
  readonly result: Result;
  readonly own: Own;
  readonly index: Index;
}

/** What `run` returns: what the runner's `merge` returns, the records by default. */
export type MergedOf<Runner, Result> = Runner extends { merge(shardDirs: string[]): infer Merged }
  ? unknown extends Merged
    ? NonNullable<Result>[]
    : Awaited<Merged>
  : never;

/** What stands for an item that has no result. */
type Dropped = null | undefined | ItemError;

/** What `forward` may return. */
type Returned<Class, Result, Index extends ItemIndex> = Class extends {
  // A runner that takes whole batches may have one value for the batch.
  readonly writeBatch: (writers: OfSubclass, results: infer Results, ...rest: OfSubclass[]) => unknown;
}
  ? Awaitable<Results>
  : Awaitable<
      | (number extends Index ? Result | Dropped : never)
      | (readonly number[] extends Index ? readonly (Result | Dropped)[] : never)
    >;

type WritersOf<Class> = Class extends { readonly openWriters: (...args: OfSubclass[]) => infer Writers }
  ? Awaited<Writers>
  : OfSubclass;

type StateOf<Class> = Class extends { readonly initState: (...args: OfSubclass[]) => infer State }
  ? Awaited<State>
  : OfSubclass;

type WithDefaults<Own extends object> = Required<Own>;

/** The static hooks that a runner class has to fit. Properties, not methods: parameters are then compared strictly. */
interface HooksOf<Class, Types extends RunnerTypes<object, unknown, object, ItemIndex>> {
  readonly forward: (
    idx: Types["index"],
    env: Types["env"],
    own: WithDefaults<Types["own"]> & CallContext<OfSubclass>,
  ) => Returned<Class, Types["result"], Types["index"]>;
  readonly openWriters: (shardDir: string, env: Types["env"], own: WithDefaults<Types["own"]>) => unknown;
  readonly initState: (place: ShardPlace, env: Types["env"], own: WithDefaults<Types["own"]>) => unknown;
  readonly writeRecord: (
    writers: WritersOf<Class>,
    result: NonNullable<Types["result"]>,
    state: StateOf<Class>,
    env: Types["env"],
    own: WithDefaults<Types["own"]>,
  ) => unknown;
  readonly reduceState: (
    state: StateOf<Class>,
    result: NonNullable<Types["result"]>,
    env: Types["env"],
    own: WithDefaults<Types["own"]>,
  ) => unknown;
  readonly closeWriters: (
    writers: WritersOf<Class>,
    state: StateOf<Class>,
    env: Types["env"],
    own: WithDefaults<Types["own"]>,
  ) => unknown;
  readonly finalizeState: (state: StateOf<Class>, env: Types["env"], own: WithDefaults<Types["own"]>) => unknown;
  readonly itemCost?: ((idx: number, env: Types["env"], own: WithDefaults<Types["own"]>) => number) | undefined;
  readonly prefetch?: ((idx: number, env: Types["env"], own: WithDefaults<Types["own"]>) => unknown) | undefined;
  readonly retryIf?: ((error: unknown, own: WithDefaults<Types["own"]>) => boolean) | undefined;
}

type Hook =
  | keyof HooksOf<unknown, RunnerTypes<object, unknown, object, ItemIndex>>
  | "writeBatch"
  | "isShardDone"
  | "itemCost";

type Plain<Name extends string> = Name extends `${infer Before}_${infer After}`
  ? Plain<`${Before}${After}`>
  : Lowercase<Name>;

/** A name with one letter left out: two names share one of these where a single letter is wrong, missing, added or swapped. */
type OneLess<Name extends string, Before extends string = ""> = Name extends `${infer First}${infer Rest}`
  ? `${Before}${Rest}` | OneLess<Rest, `${Before}${First}`>
  : never;

type NearHook = Lowercase<Hook> | OneLess<Lowercase<Hook>>;

/** Statics whose names begin as a hook does or differ in a letter, but are none. */
type Misspelt<Name> = Name extends Hook
  ? never
  : Name extends string
    ? Plain<Name> extends `${Lowercase<Hook>}${string}`
      ? Name
      : (Plain<Name> | OneLess<Plain<Name>>) & NearHook extends never
        ? never
        : Name
    : never;

/** Nothing, or for each misspelt hook a type that no value has. */
export type NoMisspeltHooks<Class> = {
  readonly [Name in Misspelt<keyof Class>]: `${Name & string} is no hook: did you misspell it?`;
};

/** The hooks that a class has to fit; any where the class is generic, so that its types are not known yet. */
export type CheckedHooks<Class, Types> = 0 extends 1 & Types
  ? unknown
  : Types extends RunnerTypes<object, unknown, object, ItemIndex>
    ? HooksOf<Class, Types>
    : unknown;
