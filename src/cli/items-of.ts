import { findProjectRoot } from "../config/find-project-root.ts";
import { instantiate } from "../config/instantiate.ts";
import { noteBuiltFields } from "../contract/provider-fields/built-fields.ts";
import { MillraceError, messageOf } from "../errors/errors.ts";
import type { Items } from "../plan/collect-items.ts";
import { isDataset } from "../plan/dataset-items.ts";
import { range } from "../plan/range.ts";
import { describeKind } from "../values/state-json.ts";
import type { AnyProvider } from "./make-runner.ts";
import type { RunConfig } from "./run-config.ts";

/** The items that a config names. If it names none: all items of the provider's dataset. */
export async function itemsOf(config: RunConfig, provider: AnyProvider): Promise<Items> {
  const { path, sections } = config;
  const written = writtenItems(config);
  if (written !== undefined) return written;
  if (sections.items == null) return datasetItems(provider);
  const made = await instantiate<unknown>(sections.items, { projectRoot: findProjectRoot(path) });
  return typeof made === "number" ? range(made) : (made as Items);
}

/** The items that a config lists; undefined if code must be run to know them. */
export function writtenItems({ sections: { items } }: RunConfig): Items | undefined {
  if (items == null) return undefined;
  if (typeof items === "number") return range(items);
  if (Array.isArray(items)) return items as number[];
  const section = items as { _target_?: string; start?: number; stop?: number; step?: number };
  return section._target_ === undefined ? range(section.start ?? 0, section.stop!, section.step ?? 1) : undefined;
}

/** All items of the provider's dataset. A dataset of millrace/datasets is returned itself: its digest identifies the run. */
async function datasetItems(provider: AnyProvider): Promise<Items> {
  let dataset: unknown;
  try {
    dataset = await datasetOf(provider);
  } catch (cause) {
    throw new MillraceError(
      "ENV_FAILED",
      `${provider.constructor.name} could not build the dataset: ${messageOf(cause)}`,
      { cause, hint: "Without `items` in the config the dataset is built to know how long it is." },
    );
  }
  if (isDataset(dataset)) return dataset;
  const length = (dataset as { length?: unknown } | null | undefined)?.length;
  if (Number.isSafeInteger(length)) return range(length as number);
  throw new MillraceError(
    "BAD_CONFIG",
    "The config has no `items`, and the provider builds no dataset with a length.",
    {
      hint: `Write \`items: 1000\`, a list, or { start, stop, step }. The length of \`dataset\` is ${describeKind(length)}.`,
    },
  );
}

async function datasetOf(provider: AnyProvider): Promise<unknown> {
  const { buildDataset } = provider.constructor as { buildDataset?: (config: unknown) => unknown };
  // The model of an inference provider is not needed here, and may be large.
  const isInference = ownerOf(provider, "buildEnvLocal")?.constructor.name === "InferenceProvider";
  if (isInference && typeof buildDataset === "function")
    return buildDataset.call(provider.constructor, provider.config);
  const env = await noteBuiltFields(provider, () => provider.buildEnvLocal());
  await provider.teardown(env);
  return (env as { dataset?: unknown }).dataset;
}

/** The prototype that defines a method. */
function ownerOf(object: object, method: string): object | undefined {
  let owner: object | null = object;
  while (owner !== null && !Object.hasOwn(owner, method)) owner = Object.getPrototypeOf(owner) as object | null;
  return owner ?? undefined;
}
