// Compiled, never run: each line below `@ts-expect-error` must be a mistake in the eyes of the compiler.
import { defineProvider, InferenceProvider } from "millrace";

interface Env {
  readonly dataset: readonly string[];
  readonly model: { extract(text: string): number };
  readonly split: string;
  readonly cleaner?: (text: string) => string;
}

interface Config {
  readonly root: string;
}

export class PrepProvider extends InferenceProvider<Env, Config> {
  static buildDataset({ root }: Config): string[] {
    return [root];
  }

  static async buildModel({ root }: Config): Promise<Env["model"]> {
    return { extract: (text) => text.length + root.length };
  }
}
defineProvider(import.meta, PrepProvider);

// Params are the rest of the env.
new PrepProvider({ root: "/data" }, { split: "dev" });
new PrepProvider({ root: "/data" }, { split: "dev", cleaner: (text) => text.trim() });
// @ts-expect-error `split` is missing.
new PrepProvider({ root: "/data" }, {});
// @ts-expect-error `splt` is not `split`.
new PrepProvider({ root: "/data" }, { splt: "dev" });
// @ts-expect-error `cleanr` is not `cleaner`.
new PrepProvider({ root: "/data" }, { split: "dev", cleanr: (text: string) => text });
// @ts-expect-error A split is a string.
new PrepProvider({ root: "/data" }, { split: 1 });
// @ts-expect-error The dataset is built, not passed on.
new PrepProvider({ root: "/data" }, { split: "dev", dataset: [] });
// @ts-expect-error The config has no `folder`.
new PrepProvider({ folder: "/data" }, { split: "dev" });

// The static builders fit the env and the config.
export class WrongDatasetProvider extends InferenceProvider<Env, Config> {
  static buildDataset(): number[] {
    return [1];
  }

  static buildModel(): Env["model"] {
    return { extract: () => 1 };
  }
}
// @ts-expect-error The dataset holds numbers.
defineProvider(import.meta, WrongDatasetProvider);

export class WrongModelProvider extends InferenceProvider<Env, Config> {
  static buildDataset(): string[] {
    return ["a"];
  }

  static async buildModel(): Promise<{ extrct(text: string): number }> {
    return { extrct: () => 1 };
  }
}
// @ts-expect-error The model has no `extract`.
defineProvider(import.meta, WrongModelProvider);

export class WrongConfigProvider extends InferenceProvider<Env, Config> {
  static buildDataset({ folder }: { readonly folder: string }): string[] {
    return [folder];
  }

  static buildModel(): Env["model"] {
    return { extract: () => 1 };
  }
}
// @ts-expect-error The config has no `folder`.
defineProvider(import.meta, WrongConfigProvider);

export class LackingProvider extends InferenceProvider<Env, Config> {
  static buildDataset(): string[] {
    return ["a"];
  }
}
// @ts-expect-error There is no buildModel that builds the model.
defineProvider(import.meta, LackingProvider);
