import { type ParallelEnv, parallelEnvs } from "../../../src/config/parallel-envs.ts";

/** Moments at which a worker can be killed. */
export const workerMoments = ["build", "claim", "forward", "write", "checkpoint", "commit"] as const;
/** Moments at which the driver can be killed. */
export const driverMoments = ["plan", "forward", "merge"] as const;

/** What the reader has chosen. */
export interface Settings {
  readonly env: ParallelEnv;
  readonly workers: number;
  readonly items: number;
  readonly shards: number;
  /** 0: one index per call. */
  readonly batch: number;
  readonly onError: "fail" | "skip";
  readonly killWorker: (typeof workerMoments)[number] | "no";
  readonly killDriver: (typeof driverMoments)[number] | "no";
  /** The number of an item with a damaged file; -1: none. */
  readonly badItem: number;
  /** A worker is stopped in the middle of an item and continues when its lease has expired. */
  readonly pause: boolean;
}

export const usualSettings: Settings = {
  env: "process",
  workers: 2,
  items: 12,
  shards: 4,
  batch: 0,
  onError: "fail",
  killWorker: "no",
  killDriver: "no",
  badItem: -1,
  pause: false,
};

/** The ranges of numbers: enough to see everything, few enough to read. */
export const limits = {
  workers: [1, 4],
  items: [1, 40],
  shards: [1, 12],
  batch: [0, 10],
} as const;

/** Settings as a short text for links: only values that are not the default. */
export function settingsText(settings: Settings): string {
  const changed = Object.entries(settings).filter(([key, value]) => usualSettings[key as keyof Settings] !== value);
  return new URLSearchParams(changed.map(([key, value]): [string, string] => [key, String(value)])).toString();
}

/** Parses such a text. Unknown or invalid values become the default. */
export function parseSettings(text: string): Settings {
  const given = new URLSearchParams(text);
  const oneOf = <T extends string>(key: keyof Settings, choices: readonly T[]): T => {
    const value = given.get(key) as T;
    return choices.includes(value) ? value : (usualSettings[key] as T);
  };
  const number = (key: keyof Settings, least: number, most: number): number => {
    const value = Number(given.get(key) ?? Number.NaN);
    return Number.isSafeInteger(value) && value >= least && value <= most ? value : (usualSettings[key] as number);
  };
  const items = number("items", ...limits.items);
  return {
    env: oneOf("env", parallelEnvs),
    workers: number("workers", ...limits.workers),
    items,
    shards: number("shards", ...limits.shards),
    batch: number("batch", ...limits.batch),
    onError: oneOf("onError", ["fail", "skip"]),
    killWorker: oneOf("killWorker", ["no", ...workerMoments]),
    killDriver: oneOf("killDriver", ["no", ...driverMoments]),
    badItem: number("badItem", -1, items - 1),
    pause: given.get("pause") === "true",
  };
}
