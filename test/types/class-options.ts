// Compiled, never run: each line below `@ts-expect-error` must be a mistake in the eyes of the compiler.
import { BaseRunner, defineRunner, EnvironmentProvider, type OwnOptions, shape } from "millrace";

interface Env {
  readonly dataset: readonly number[];
}

interface DecodeOptions {
  readonly beam?: number;
  readonly language: string;
}

export class Provider extends EnvironmentProvider<Env> {
  buildEnvLocal(): Env {
    return { dataset: [1] };
  }
}

export class DecodeRunner extends BaseRunner<Env, number, DecodeOptions> {
  static readonly ownOptions: OwnOptions<DecodeOptions> = {
    beam: { shape: shape.int({ min: 1 }), default: 8 },
    language: { shape: shape.string() },
  };

  static forward(idx: number, { dataset }: Env, { beam }: Required<DecodeOptions>): number {
    return dataset[idx]! * beam;
  }

  override merge(shardDirs: string[]): number[] {
    return [shardDirs.length, this.ownOptions.language.length];
  }
}

defineRunner(import.meta, DecodeRunner);

export class WrongOptionRunner extends BaseRunner<Env, number, DecodeOptions> {
  static forward(idx: number, { dataset }: Env, { beam }: { readonly beam: string }): number {
    return dataset[idx]! * beam.length;
  }
}
// @ts-expect-error A beam is a number.
defineRunner(import.meta, WrongOptionRunner);

export class PlainRunner extends BaseRunner<Env, number> {
  static forward(idx: number, { dataset }: Env): number {
    return dataset[idx]!;
  }
}

const provider = new Provider(undefined);
export const made = [
  new DecodeRunner(provider, { language: "de", retries: 2 }),
  new PlainRunner(provider),
  new PlainRunner(provider, { retries: 1 }),
  // @ts-expect-error `language` is missing.
  new DecodeRunner(provider, { beam: 1 }),
  // @ts-expect-error It has a required option.
  new DecodeRunner(provider),
  // @ts-expect-error A beam is a number.
  new DecodeRunner(provider, { language: "de", beam: "1" }),
  // @ts-expect-error Neither every runner nor this one has it.
  new PlainRunner(provider, { beam: 1 }),
];

// @ts-expect-error Every option has to be declared.
export const lacking: OwnOptions<DecodeOptions> = { beam: { shape: shape.int() } };
