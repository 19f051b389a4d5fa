import { EnvironmentProvider, instantiate, MillraceError } from "../../index.ts";
import type { CollateFn, CollectFeatsModel, CollectStatsEnv, StatsDataset } from "./collect-stats-env.ts";
import { commonCollateFn } from "./common-collate.ts";

/** A section of a config with a `_target_`, or, in one process, the object itself. */
export type Described<T> = T | Readonly<Record<string, unknown>>;

/** The config of {@link CollectStatsProvider}. */
export interface CollectStatsConfig {
  /** A model with `collectFeats`. */
  readonly model: Described<CollectFeatsModel>;
  /** A dataset, or an object with one under the name of the mode. */
  readonly dataset: Described<StatsDataset>;
  /** Its `collate_fn` (or `collateFn`) combines a batch. Default: `commonCollateFn()`. */
  readonly dataLoader?: Readonly<Record<string, unknown>> | undefined;
  readonly mode: string;
  /** The folder that `_target_`s are resolved against. */
  readonly projectRoot?: string | undefined;
}

/** Values that are passed to the env. */
export interface CollectStatsParams {
  readonly writeCollectedFeats?: boolean;
  readonly collectStatsKwargs?: Readonly<Record<string, unknown>>;
}

/** Builds dataset, model and collate function from a config, once per worker. */
export class CollectStatsProvider extends EnvironmentProvider<CollectStatsEnv, CollectStatsConfig, CollectStatsParams> {
  static readonly module: string = import.meta.url;

  async buildEnvLocal(): Promise<CollectStatsEnv> {
    const { model, dataLoader = {} } = this.config;
    const described = dataLoader["collateFn"] ?? dataLoader["collate_fn"];
    const collateFn = described === undefined ? commonCollateFn() : await this.make(described);
    if (typeof collateFn !== "function") throw misfit("collateFn", "a function that returns [uids, batch]");
    const made = (await this.make(model)) as Partial<CollectFeatsModel> | null;
    if (typeof made?.collectFeats !== "function") throw misfit("The model", "an object with a method collectFeats");
    return {
      ...this.params,
      dataset: await this.buildDataset(),
      model: made as CollectFeatsModel,
      collateFn: collateFn as CollateFn,
    };
  }

  /** The dataset alone: the number of items is needed before any worker is started. */
  async buildDataset(): Promise<StatsDataset> {
    const { dataset, mode } = this.config;
    const made = (await this.make(dataset)) as Record<string, unknown> | null;
    if (isStatsDataset(made)) return made;
    const split = made?.[mode];
    if (isStatsDataset(split)) return split;
    throw misfit("The dataset", `an array, an object with length and get(index), or one that has such under ${mode}`);
  }

  private async make(described: unknown): Promise<unknown> {
    const isSection = typeof described === "object" && described !== null && "_target_" in described;
    if (!isSection) return described;
    const { projectRoot } = this.config;
    return instantiate(described, projectRoot === undefined ? {} : { projectRoot });
  }
}

function isStatsDataset(value: unknown): value is StatsDataset {
  if (Array.isArray(value)) return true;
  if (typeof value !== "object" || value === null || !("length" in value)) return false;
  return "get" in value && typeof value.get === "function";
}

function misfit(what: string, expected: string): MillraceError {
  return new MillraceError("BAD_PROVIDER", `${what} of collectStats is not ${expected}.`, {
    hint: "Pass a section with _target_, or with env: local the object itself.",
  });
}
