import { checkShape, type ParallelInput, type RunnerOptions, type Shape, shape } from "../index.ts";

/** What of a config says how the work is done: both sections are optional and never part of a run's identity. */
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
export function optionsOfConfig(config: object): RunnerOptions {
  const { parallel, runner } = checkShape(config, howToRun);
  const camelCased = withValue(runner ?? {}).map(([key, value]) => [
    key.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return {
    ...(Object.fromEntries(camelCased) as RunnerOptions),
    ...(parallel == null ? {} : { parallel: Object.fromEntries(withValue(parallel)) as ParallelInput }),
  };
}

function withValue(section: object): [string, unknown][] {
  return Object.entries(section).filter(([, value]) => value !== null);
}
