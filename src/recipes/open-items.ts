import { isDataset } from "../datasets.ts";
import { type EnvironmentProvider, type Items, MillraceError, range } from "../index.ts";

/** The items of a provider's dataset, and how to close it. */
export interface DatasetRun {
  readonly items: Items;
  readonly length: number;
  close(): Promise<void>;
}

/**
 * All items of a provider's dataset: of an open dataset itself, so that its digest is part of the run's identity. The
 * model is not built for it where a static `buildDataset` is there.
 */
export async function openItems(provider: EnvironmentProvider<{ readonly dataset: unknown }>): Promise<DatasetRun> {
  const { buildDataset } = provider.constructor as { buildDataset?: (config: unknown) => unknown };
  if (typeof buildDataset === "function") {
    const dataset = await buildDataset.call(provider.constructor, provider.config);
    return itemsIn(dataset, provider, async () => {
      if (isDataset(dataset)) await dataset.close();
    });
  }
  const env = await provider.buildEnvLocal();
  // What a teardown closes may be needed until the end of the run, but a model would take its memory.
  const isOpen = isDataset(env.dataset);
  if (!isOpen) await provider.teardown(env);
  return itemsIn(env.dataset, provider, async () => {
    if (isOpen) await provider.teardown(env);
  });
}

/** The items of a dataset: its rows, or the indices of an array or an object with a length. */
export function itemsIn(dataset: unknown, provider: object, close: () => Promise<void>): DatasetRun {
  if (isDataset(dataset)) return { items: dataset, length: dataset.length, close };
  const { length } = (dataset ?? {}) as { length?: unknown };
  if (Number.isSafeInteger(length)) return { items: range(length as number), length: length as number, close };
  throw new MillraceError("BAD_PROVIDER", `The dataset of ${provider.constructor.name} has no length.`, {
    hint: "A dataset is one of millrace/datasets, an array, or an object with length and get(index).",
  });
}
