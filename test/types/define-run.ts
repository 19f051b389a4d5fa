// Compiled, never run: each line below `@ts-expect-error` must be a mistake in the eyes of the compiler.
import { defineRun, range } from "millrace";

/** Compiles only where both types are the very same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_isSame: Same<A, B>): void => {};

// Nothing is annotated: the env is what buildEnv returns, the records are what forward returns.
export const { LengthProvider, LengthRunner } = defineRun("Length", import.meta.url, {
  buildEnv: () => ({ words: ["one", "three"] }),
  forward: (idx, { words }) => {
    same<typeof idx, number>(true);
    same<typeof words, string[]>(true);
    return idx === 0 ? null : { idx, length: words[idx]!.length };
  },
});

// Asynchronous functions are no different, and a config has the type that buildEnv asks for.
export const { LoudProvider, LoudRunner } = defineRun("Loud", import.meta.url, {
  buildEnv: async ({ gain }: { readonly gain: number }) => ({ model: (x: number) => gain * x }),
  forward: async (idx, { model }) => model(idx),
  version: 2,
});

export async function results(): Promise<void> {
  const records = await new LengthRunner(new LengthProvider(), { outputDir: "exp" }).run(range(2));
  same<typeof records, { idx: number; length: number }[]>(true);
  const numbers = await new LoudRunner(new LoudProvider({ gain: 2 })).run([0]);
  same<typeof numbers, number[]>(true);

  // @ts-expect-error The config has no `gian`.
  new LoudProvider({ gian: 2 });
  // @ts-expect-error The config is missing.
  new LoudProvider();
  // @ts-expect-error The provider of another run builds another env.
  new LoudRunner(new LengthProvider());
  // @ts-expect-error Its forward takes one item at a time.
  new LengthRunner(new LengthProvider(), { batchSize: 2 });
  // @ts-expect-error `batchsize` is no option.
  new LengthRunner(new LengthProvider(), { batchsize: 2 });
}

export const wrong = defineRun("Wrong", import.meta.url, {
  buildEnv: () => ({ model: 1 }),
  // @ts-expect-error `modle` is no key of the env.
  forward: (idx, { modle }) => idx * modle,
});

// @ts-expect-error The classes bear the name that was given.
export const { OtherRunner } = defineRun("Name", import.meta.url, { buildEnv: () => ({}), forward: (idx) => idx });
