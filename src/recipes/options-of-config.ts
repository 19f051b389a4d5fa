import { checkShape, type ItemIndex, type ParallelInput, type RunnerOptions, type Shape, shape } from "../index.ts";

/** The sections of a config that say how the work is done: both are optional and never part of a run's identity. */
interface HowToRun {
  readonly parallel?: ParallelInput | null | undefined;
  readonly runner?: Readonly<Record<string, unknown>> | null | undefined;
}

const howToRun: Shape<HowToRun> = shape.object(
  {
    parallel: shape.optional(shape.nullable(shape.map(shape.any()))) as Shape<ParallelInput | null | undefined>,
    runner: shape.optional(shape.nullable(shape.map(shape.any()))),
  },
  { others: shape.any() },
);

/** The options of the runner that the sections `runner:` and `parallel:` of a config hold, by the names they have in code. */
export function optionsOfConfig(config: object): RunnerOptions<ItemIndex> {
  const { parallel, runner } = checkShape(config, howToRun);
  const camelCased = withValue(runner ?? {}).map(([key, value]) => [
    key.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return {
    ...(Object.fromEntries(camelCased) as RunnerOptions<ItemIndex>),
    ...(parallel == null ? {} : { parallel: Object.fromEntries(withValue(parallel)) as ParallelInput }),
  };
}

function withValue(section: object): [string, unknown][] {
  return Object.entries(section).filter(([, value]) => value !== null);
}
