import { type Awaitable, MillraceError } from "../../index.ts";
import { readOutputScp } from "../inference/read-output-scp.ts";

/**
 * A metric over the lists of an inference run. `measure` makes it from a config, calls `compute` for every test set, and writes
 * what it returns to `metrics.json`.
 */
export abstract class BaseMetric {
  /** The keys that it reads where the config has no `inputs` for it. */
  readonly refKey?: string | undefined;
  readonly hypKey?: string | undefined;

  /**
   * Computes the metric of one test set: `data` has the path of the list for each input, `inferenceDir` the folder of all test
   * sets.
   */
  abstract compute(
    data: Readonly<Record<string, string>>,
    testName: string,
    inferenceDir: string,
  ): Awaitable<Readonly<Record<string, number>>>;

  /** The rows of several lists with the same ids in the same order: `[id, { ref, hyp }]`, one after the other. */
  *iterInputs<const Key extends string>(
    data: Readonly<Record<string, string>>,
    ...keys: readonly Key[]
  ): Generator<readonly [id: string, row: Readonly<Record<Key, string>>]> {
    const paths = keys.map((key) => pathOf(data, key));
    const lists = paths.map((path) => readOutputScp(path)[Symbol.iterator]());
    for (let line = 1; ; line++) {
      const entries = lists.map((list) => list.next());
      if (entries.every(({ done }) => done)) return;
      const ids = entries.map(({ done, value }) => (done === true ? undefined : value.id));
      const odd = ids.findIndex((id) => id !== ids[0]);
      if (odd !== -1) throw unlike(paths, ids, { odd, line });
      yield [ids[0]!, Object.fromEntries(keys.map((key, i) => [key, entries[i]!.value!.value])) as Record<Key, string>];
    }
  }
}

function pathOf(data: Readonly<Record<string, string>>, key: string): string {
  const path = data[key];
  if (path !== undefined) return path;
  throw new MillraceError("BAD_OPTION", `The metric has no input ${key}.`, {
    hint: `It has ${Object.keys(data).join(", ") || "none"}: name it under inputs of the metric in the config.`,
  });
}

function unlike(
  paths: readonly string[],
  ids: readonly (string | undefined)[],
  { odd, line }: { readonly odd: number; readonly line: number },
): MillraceError {
  const say = (i: number) => (ids[i] === undefined ? `${paths[i]} has no such line` : `${paths[i]} has ${ids[i]}`);
  return new MillraceError("BAD_RECORD", `Line ${line}: ${say(0)}, ${say(odd)}.`, {
    hint: "The lists of one test set have the same ids in the same order: run the inference again, or measure other inputs.",
  });
}
