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

/** The result of `run`: the result of `merge`, by default the records. */
export type MergedOf<Runner, Result> = Runner extends { merge(shardDirs: string[]): infer Merged }
  ? unknown extends Merged
    ? NonNullable<Result>[]
    : Awaited<Merged>
  : never;

/** The values that `forward` may return for an item without a result. */
type Dropped = null | undefined | ItemError;

/** What `forward` may return. */
type Returned<Class, Result, Index extends ItemIndex> = Class extends {
  // A runner with writeBatch may return one value for the whole batch.
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

/**
 * The types that the static hooks of a runner class must match. Properties, not methods, so that parameters are
 * compared strictly.
 */
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

/**
 * A name with one letter left out. Two names have one of these in common if a single letter is wrong, missing, added or
 * swapped.
 */
type WithoutOneLetter<Name extends string, Before extends string = ""> = Name extends `${infer First}${infer Rest}`
  ? `${Before}${Rest}` | WithoutOneLetter<Rest, `${Before}${First}`>
  : never;

type NearHook = Lowercase<Hook> | WithoutOneLetter<Lowercase<Hook>>;

/** Names of statics that begin with the name of a hook, or differ from it in one letter. */
type Misspelt<Name> = Name extends Hook
  ? never
  : Name extends string
    ? Plain<Name> extends `${Lowercase<Hook>}${string}`
      ? Name
      : (Plain<Name> | WithoutOneLetter<Plain<Name>>) & NearHook extends never
        ? never
        : Name
    : never;

/** For each misspelt hook a type that no value has. */
export type NoMisspeltHooks<Class> = {
  readonly [Name in Misspelt<keyof Class>]: `${Name & string} is no hook: did you misspell it?`;
};

/** The hooks that a class must match. Not checked if the class is generic, because its types are not known. */
export type CheckedHooks<Class, Types> = 0 extends 1 & Types
  ? unknown
  : Types extends RunnerTypes<object, unknown, object, ItemIndex>
    ? HooksOf<Class, Types>
    : unknown;
