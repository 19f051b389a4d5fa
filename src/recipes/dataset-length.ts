import { type EnvironmentProvider, MillraceError } from "../index.ts";

/** The number of items that a provider's dataset has. The model is not built for it where a static `buildDataset` is there. */
export async function datasetLength(provider: EnvironmentProvider<{ readonly dataset: unknown }>): Promise<number> {
  const { buildDataset } = provider.constructor as { buildDataset?: (config: unknown) => unknown };
  if (typeof buildDataset === "function")
    return lengthOf(await buildDataset.call(provider.constructor, provider.config), provider);
  const env = await provider.buildEnvLocal();
  try {
    return lengthOf(env.dataset, provider);
  } finally {
    await provider.teardown(env);
  }
}

function lengthOf(dataset: unknown, provider: object): number {
  const { length } = (dataset ?? {}) as { length?: unknown };
  if (Number.isSafeInteger(length)) return length as number;
  throw new MillraceError("BAD_PROVIDER", `The dataset of ${provider.constructor.name} has no length.`, {
    hint: "A dataset is an array, or an object with length and get(index).",
  });
}
