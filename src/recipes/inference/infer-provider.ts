import { type InferenceEnv, InferenceProvider, instantiate, MillraceError } from "../../index.ts";
import type { TestSet } from "./infer-config.ts";

/** What {@link InferProvider} builds from: a config of `infer` with the name of one test set. */
export interface InferProviderConfig {
  readonly test_set: string;
  readonly dataset: { readonly test: readonly TestSet[] };
  readonly model?: unknown;
  /** The folder that `_target_`s are resolved against. */
  readonly project_root: string;
}

/** The provider of `infer` for configs that name none: dataset and model are made from their sections. */
export class InferProvider extends InferenceProvider<InferenceEnv, InferProviderConfig> {
  static readonly module: string = import.meta.url;

  static buildDataset({ test_set, dataset, project_root }: InferProviderConfig): Promise<unknown> {
    const described = dataset.test.find(({ name }) => name === test_set)?.dataset;
    return make(described, project_root, `The test set ${test_set} has no section dataset`);
  }

  static buildModel({ model, project_root }: InferProviderConfig): Promise<unknown> {
    return make(model, project_root, "The config has no section model");
  }
}

async function make(described: unknown, projectRoot: string, missing: string): Promise<unknown> {
  if (typeof described === "object" && described !== null && "_target_" in described)
    return instantiate(described, { projectRoot });
  throw new MillraceError("BAD_CONFIG", `${missing} with a _target_.`, {
    hint: "Write { _target_: ./file.js#Export, … }, or name a provider of your own in provider._target_.",
  });
}
