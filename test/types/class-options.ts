// Compiled, never run: each line below `@ts-expect-error` must be a mistake in the eyes of the compiler.
import {
  BaseRunner,
  BatchRunner,
  defineRunner,
  EnvironmentProvider,
  type OwnOptions,
  type ShardPlace,
  type ShardState,
  shape,
  textWriter,
  type Writer,
} from "millrace";

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

type Options = Required<DecodeOptions>;

interface TextWriters {
  readonly texts: Writer<string>;
}

interface CountState extends ShardState {
  count: number;
}

// Every hook gets them.
export class EveryHookRunner extends BatchRunner<Env, string, DecodeOptions> {
  static readonly ownOptions: OwnOptions<DecodeOptions> = DecodeRunner.ownOptions;

  static forward(indices: readonly number[], { dataset }: Env, { language }: Options): string[] {
    return indices.map((idx) => `${language} ${dataset[idx]}`);
  }

  static itemCost(idx: number, _env: Env, { beam }: Options): number {
    return idx * beam;
  }

  static override openWriters(shardDir: string, _env: Env, { language }: Options): TextWriters {
    return { texts: textWriter(shardDir, language) };
  }

  static override async initState(place: ShardPlace, env: Env, options: Options): Promise<CountState> {
    return { ...(await super.initState(place, env, options)), count: options.beam };
  }

  static override writeRecord({ texts }: TextWriters, text: string, _state: CountState, _env: Env, { beam }: Options) {
    texts.write(text.repeat(beam));
  }

  static override reduceState(state: CountState, text: string, env: Env, options: Options) {
    state.count += options.beam;
    return super.reduceState(state, text, env, options);
  }

  static override closeWriters({ texts }: TextWriters, { count }: CountState, _env: Env, { beam }: Options) {
    texts.close();
    return { share: count / beam };
  }

  static override finalizeState(state: CountState, env: Env, options: Options) {
    return super.finalizeState(state, env, options);
  }
}
defineRunner(import.meta, EveryHookRunner);

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
