// Compiled, never run: each line below `@ts-expect-error` must be a mistake in the eyes of the compiler.
import { BaseRunner, defineRunner, EnvironmentProvider, type EnvOf } from "millrace";

interface PrepEnv {
  readonly dataset: readonly string[];
  readonly model: { extract(text: string): number };
  readonly cleaner?: (text: string) => string;
}

interface OtherEnv {
  readonly tokenizer: (text: string) => string[];
}

interface PrepRecord {
  readonly frames: number;
}

// forward reads only keys of its env.
export class PrepRunner extends BaseRunner<PrepEnv, PrepRecord> {
  static forward(idx: number, { dataset, model, cleaner }: PrepEnv): PrepRecord {
    const text = dataset[idx]!;
    return { frames: model.extract(cleaner === undefined ? text : cleaner(text)) };
  }
}

export class MisspeltRunner extends BaseRunner<PrepEnv, PrepRecord> {
  // @ts-expect-error `modle` is no key of PrepEnv.
  static forward(idx: number, { dataset, modle }: PrepEnv): PrepRecord {
    return { frames: modle.extract(dataset[idx]!) };
  }
}

export class CarelessRunner extends BaseRunner<PrepEnv, PrepRecord> {
  static forward(idx: number, { dataset, model, cleaner }: PrepEnv): PrepRecord {
    // @ts-expect-error An optional key may be missing.
    return { frames: model.extract(cleaner(dataset[idx]!)) };
  }
}

// A provider builds every key of its env.
export class PrepProvider extends EnvironmentProvider<PrepEnv, { readonly root: string }, { readonly split: string }> {
  buildEnvLocal(): PrepEnv {
    return { dataset: [this.config.root, this.params.split], model: { extract: (text) => text.length } };
  }

  override teardown({ dataset }: PrepEnv): void {
    dataset.at(0);
  }
}

export class LaterProvider extends EnvironmentProvider<OtherEnv> {
  async buildEnvLocal(): Promise<OtherEnv> {
    return { tokenizer: (text) => text.split(" ") };
  }
}

export class LackingProvider extends EnvironmentProvider<PrepEnv> {
  // @ts-expect-error `model` is missing.
  buildEnvLocal() {
    return { dataset: ["a"] };
  }
}

export class MisspellingProvider extends EnvironmentProvider<PrepEnv> {
  // @ts-expect-error `modle` is not `model`.
  buildEnvLocal() {
    return { dataset: ["a"], modle: { extract: () => 1 } };
  }
}

export class ObjectProvider extends EnvironmentProvider<OtherEnv> {
  buildEnvLocal(): OtherEnv {
    return { tokenizer: (text) => [text] };
  }

  // @ts-expect-error A function that builds the env is wanted, not the env.
  override buildWorkerSetupFn() {
    return { tokenizer: (text: string) => [text] };
  }
}

// A provider has the config and params of its class.
const provider = new PrepProvider({ root: "/data" }, { split: "dev" });
// @ts-expect-error The config has no `folder`.
new PrepProvider({ folder: "/data" }, { split: "dev" });
// @ts-expect-error The params have no `splt`.
new PrepProvider({ root: "/data" }, { splt: "dev" });

// A runner takes a provider of its own env, and options it knows.
new PrepRunner(provider, { retries: 20, outputDir: "exp" });
// @ts-expect-error LaterProvider builds another env.
new PrepRunner(new LaterProvider({}));
// @ts-expect-error `batchsize` is not `batchSize`.
new PrepRunner(provider, { batchsize: 20 });
// @ts-expect-error "ignore" is no way to treat errors.
new PrepRunner(provider, { onError: "ignore" });

// The env of a provider, inferred.
export class InferredProvider extends EnvironmentProvider<{ readonly sizes: readonly number[] }> {
  buildEnvLocal() {
    return { sizes: [1, 2] };
  }
}
export class InferredRunner extends BaseRunner<EnvOf<InferredProvider>, number> {
  static forward(idx: number, { sizes }: EnvOf<InferredProvider>): number {
    return sizes[idx]!;
  }
}
defineRunner(import.meta, InferredRunner);
new InferredRunner(new InferredProvider(undefined));
