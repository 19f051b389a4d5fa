// Compiled, never run: each line below `@ts-expect-error` must be a mistake in the eyes of the compiler.
import { defineRun, ItemError, jsonlWriter, range, type SubmittedRun, shape, textWriter, type Writer } from "millrace";
import { same } from "./same.ts";

// Nothing is annotated: the env is what `env` returns, the records are what `forward` returns.
export const lengths = defineRun(import.meta, {
  env: () => ({ words: ["one", "three"] }),
  forward: (idx, { words }) => {
    same<typeof idx, number>(true);
    same<typeof words, string[]>(true);
    return idx === 0 ? null : { idx, length: words[idx]!.length };
  },
});

// Asynchronous functions are no different, and config and params have the types that `env` asks for.
export const loud = defineRun(import.meta, {
  env: async ({ gain }: { readonly gain: number }, { split }: { readonly split: string }) => ({
    model: (x: number) => gain * x + split.length,
  }),
  forward: async (idx, { model }) => model(idx),
  version: 2,
});

// Batches: an array of indices, one result for each.
export const batched = defineRun(import.meta, {
  env: () => ({ power: 2 }),
  batch: 20,
  forward: (indices, { power }) => {
    same<typeof indices, readonly number[]>(true);
    return indices.map((idx) => (idx === 0 ? null : { value: idx ** power }));
  },
  cost: (idx) => {
    same<typeof idx, number>(true);
    return idx;
  },
});

// Everything else a run can have, each with the types of the keys before it.
export const whole = defineRun(import.meta, {
  env: () => ({ dataset: ["a", "b"] }),
  options: { beam: { shape: shape.int({ min: 1 }), default: 8 }, language: { shape: shape.string() } },
  forward: (idx, { dataset }, { options: { beam, language } }) => {
    same<typeof beam, number>(true);
    same<typeof language, string>(true);
    return { text: dataset[idx]!, beam };
  },
  writers: (shardDir) => ({
    texts: textWriter(shardDir, "text"),
    rows: jsonlWriter<{ text: string }>(shardDir, "rows"),
  }),
  state: () => ({ count: 0, seen: new Set<string>() }),
  write: ({ texts, rows }, { text }, state) => {
    same<typeof state.seen, Set<string>>(true);
    texts.write(text);
    rows.write({ text });
    state.count++;
  },
  finish: async ({ texts, rows }, { count }) => {
    await texts.close();
    await rows.close();
    return { half: count / 2 };
  },
  merge: (shards, { runDir }) => ({ runDir, count: shards.reduce((sum, { state }) => sum + state.count, 0) }),
  teardown: ({ dataset }) => void dataset.at(0),
});

interface TextWriters {
  readonly texts: Writer<string>;
}

interface TextState {
  count: number;
}

// An interface as the type of writers and state, and options in every function.
export const optioned = defineRun(import.meta, {
  env: () => ({ dataset: ["a", "b"] }),
  options: { prefix: { shape: shape.string(), default: "" } },
  batch: { cost: "sum", max: 2 },
  forward: (indices, { dataset }, { options }) => indices.map((idx) => options.prefix + dataset[idx]!),
  cost: (idx, _env, { options: { prefix } }) => idx + prefix.length,
  writers: (shardDir, _env, { options: { prefix } }): TextWriters => ({ texts: textWriter(shardDir, `${prefix}text`) }),
  state: (_env, { options: { prefix } }): TextState => ({ count: prefix.length }),
  write: ({ texts }, text, state, _env, { options: { prefix } }) => {
    same<typeof text, string>(true);
    texts.write(text.slice(prefix.length));
    state.count++;
  },
  finish: ({ texts }, { count }, _env, { options: { prefix } }) => {
    texts.close();
    return { count, prefix };
  },
});

export async function results(): Promise<void> {
  const records = await lengths.run(range(2), { outputDir: "exp" });
  same<typeof records, { idx: number; length: number }[]>(true);
  same<Awaited<ReturnType<typeof lengths.resume>>, { idx: number; length: number }[]>(true);
  await lengths.run(range(2));
  const numbers = await loud.run([0], { config: { gain: 2 }, params: { split: "dev" } });
  same<typeof numbers, number[]>(true);
  const squares = await batched.run(range(100), { batchSize: 10 });
  same<typeof squares, { value: number }[]>(true);
  const merged = await whole.run(range(2), { language: "de" });
  same<typeof merged, { runDir: string; count: number }>(true);
  const { jobs } = await lengths.submit(range(2), { outputDir: "exp" });
  jobs.at(0);
  await lengths.retryFailed({ outputDir: "exp", error: /x/ });

  await using running = lengths.start(range(2));
  for await (const record of running) same<typeof record, { idx: number; length: number }>(true);
  same<typeof running.result, Promise<{ idx: number; length: number }[]>>(true);

  // @ts-expect-error The config has no `gian`.
  await loud.run([0], { config: { gian: 2 }, params: { split: "dev" } });
  // @ts-expect-error The config is missing.
  await loud.run([0], { params: { split: "dev" } });
  // @ts-expect-error Config and params are missing.
  await loud.run([0]);
  // @ts-expect-error Its forward takes one item at a time.
  await lengths.run(range(2), { batchSize: 2 });
  // @ts-expect-error `outputdir` is no option.
  await lengths.run(range(2), { outputdir: "exp" });
  // @ts-expect-error `language` is missing.
  await whole.run(range(2), { beam: 1 });
  // @ts-expect-error A beam is a number.
  await whole.run(range(2), { language: "de", beam: "1" });
  // @ts-expect-error Items are indices.
  await lengths.run(["utt-1"]);
  const submitted = await lengths.submit(range(2), { outputDir: "exp" });
  same<typeof submitted, SubmittedRun>(true);
  // @ts-expect-error A submitted run has no records yet: it is not an array.
  submitted.map(String);
  // @ts-expect-error `submit` is the call: with an option, run could not have the type of its result.
  await lengths.run(range(2), { asyncMode: true });
  // @ts-expect-error The default merge returns the records.
  const sum: { readonly sum: number } = await lengths.run(range(2));
  console.log(sum);
}

interface Square {
  readonly value: number;
}

// @ts-expect-error What a run returns is written down as a sum, and there is no merge that makes one.
export const noMerge: { run(items: number[]): Promise<{ sum: number }> } = defineRun(import.meta, {
  env: () => ({}),
  forward: (idx) => ({ idx }),
});

export const wrongResult = defineRun(import.meta, {
  env: () => ({}),
  // @ts-expect-error `valu` is not `value`.
  forward: (idx): Square => ({ valu: idx }),
});

export const wrongEnv = defineRun(import.meta, {
  env: () => ({ power: 2 }),
  // @ts-expect-error The env has no `powr`.
  forward: (idx, { powr }: { readonly powr: number }) => idx ** powr,
});

// @ts-expect-error There is no env.
export const noEnv = defineRun(import.meta, { forward: (idx: number) => idx });

// @ts-expect-error There is no forward.
export const noForward = defineRun(import.meta, { env: () => ({}) });

export const wrongKey = defineRun(import.meta, {
  env: () => ({ model: 1 }),
  // @ts-expect-error `modle` is no key of the env.
  forward: (idx, { modle }) => idx * modle,
});

export const wrongIndex = defineRun(import.meta, {
  env: () => ({}),
  // @ts-expect-error An item is a number.
  forward: (id: string) => id.length,
});

export const oneForBatch = defineRun(import.meta, {
  env: () => ({}),
  batch: 2,
  // @ts-expect-error With a batch it gets an array.
  forward: (idx: number) => [idx],
});

export const noArray = defineRun(import.meta, {
  env: () => ({}),
  batch: 2,
  // @ts-expect-error A batch has one result for each item.
  forward: (indices) => indices.length,
});

export const misspelt = defineRun(import.meta, {
  env: () => ({}),
  forward: (idx) => ({ idx }),
  // @ts-expect-error It is `write`.
  writeRecords: () => {},
});

export const otherResult = defineRun(import.meta, {
  env: () => ({}),
  forward: (idx) => ({ idx }),
  // @ts-expect-error The result of this run has no `text`.
  write: (_writers, { text }: { text: string }) => void text,
});

export const otherWriters = defineRun(import.meta, {
  env: () => ({}),
  forward: (idx) => ({ idx }),
  writers: (shardDir) => ({ rows: jsonlWriter(shardDir) }),
  // @ts-expect-error It opens `rows`.
  write: ({ records }, result) => records.write(result),
});

// What `forward` gets to know about its call, and what was fetched ahead.
export const calling = defineRun(import.meta, {
  env: () => ({ url: "http://localhost" }),
  concurrency: 64,
  prefetch: async (idx, { url }) => ({ body: `${url}/${idx}` }),
  retryIf: (error) => error instanceof TypeError,
  forward: async (idx, { url }, { signal, attempt, tries, worker, prefetched }) => {
    same<typeof signal, AbortSignal>(true);
    same<typeof prefetched, { body: string }>(true);
    same<typeof attempt, number>(true);
    const response = await fetch(url, { signal });
    if (!response.ok) return new ItemError(`${idx} of ${worker}, try ${tries}`);
    return { idx, text: await response.text(), from: prefetched.body };
  },
});

// An ItemError is no result: the records have none.
export async function callApi() {
  const records = await calling.run(range(2), {
    concurrency: 8,
    retries: 3,
    retryDelay: 100,
    maxRetryDelay: 1000,
    rateLimit: { perSecond: 50, burst: 10, adaptive: true },
  });
  same<typeof records, { idx: number; text: string; from: string }[]>(true);
  // @ts-expect-error A limit needs a rate.
  await calling.run(range(2), { rateLimit: { burst: 10 } });
  // @ts-expect-error A number of calls is a number.
  await calling.run(range(2), { concurrency: "many" });
}

// For a batch there is one prefetched value for each item, and an item may fail alone.
export const batchCalls = defineRun(import.meta, {
  env: () => ({}),
  batch: 16,
  prefetch: (idx) => new Float32Array(idx),
  forward: (indices, _env, { prefetched }) => {
    same<typeof prefetched, readonly Float32Array<ArrayBuffer>[]>(true);
    return indices.map((idx, i) => (prefetched[i]!.length === 0 ? new ItemError("empty") : { idx }));
  },
});

// Without `prefetch` there is nothing to get.
export const noPrefetch = defineRun(import.meta, {
  env: () => ({}),
  forward: (idx, _env, { prefetched }) => {
    same<typeof prefetched, undefined>(true);
    return idx;
  },
});

export const wrongRetryIf = defineRun(import.meta, {
  env: () => ({}),
  forward: (idx) => idx,
  // @ts-expect-error Whether to repeat is true or false.
  retryIf: () => "yes",
});
