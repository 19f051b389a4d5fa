import { checkShape, MillraceError, type Shape, shape } from "../../index.ts";
import { maybe, path } from "../maybe.ts";

/** A test set: its name is that of its folder below `inference_dir`; the rest is for the provider. */
export interface TestSet {
  readonly name: string;
  /** A section with `_target_` that makes the dataset, for configs without a `provider`. */
  readonly dataset?: unknown;
}

/** A section of a config with the class that is made from it. */
interface TargetSection {
  readonly _target_?: string | null | undefined;
}

/** The config of {@link infer}, with ESPnet3's keys. Other keys are for the provider. */
export interface InferConfig {
  /** The outputs of each test set go to `inference_dir/name`. */
  readonly inference_dir: string;
  readonly dataset: { readonly test: readonly TestSet[] };
  /** A section with `_target_` that makes the model, for configs without a `provider`. */
  readonly model?: unknown;
  /** Default: one that makes `dataset.test[…].dataset` and `model`. It gets the config with `test_set`, and `params`. */
  readonly provider?:
    | (TargetSection & { readonly params?: Readonly<Record<string, unknown>> | null | undefined })
    | null
    | undefined;
  /** Default: `InferenceRunner`. Other keys are options of the runner. */
  readonly runner?: TargetSection | null | undefined;
  readonly batch_size?: number | null | undefined;
}

const targetSection = shape.object(
  { _target_: maybe(shape.string()), params: maybe(shape.map(shape.any())) },
  { others: shape.any() },
);
const configShape = shape.object(
  {
    inference_dir: path,
    dataset: shape.object(
      { test: shape.list(shape.object({ name: shape.string() }, { others: shape.any() }), { min: 1 }) },
      { others: shape.any() },
    ),
    provider: maybe(targetSection),
    runner: maybe(targetSection),
    batch_size: maybe(shape.int({ min: 1 })),
  },
  { others: shape.any() },
) as Shape<InferConfig>;

/** Checks the parts of the config that `infer` reads itself. */
export function checkInferConfig(config: unknown): InferConfig {
  const checked = checkShape(config, configShape);
  requireTestNames(checked.dataset.test.map(({ name }) => name));
  return checked;
}

/** Refuses names of test sets that are no folder's name, or that occur twice. */
export function requireTestNames(names: readonly string[]): void {
  const odd = names.find((name) => !/^[\w-][\w.-]*$/.test(name) || name.endsWith("."));
  if (odd !== undefined)
    throw new MillraceError("BAD_CONFIG", `${JSON.stringify(odd)} cannot be the name of a test set.`, {
      hint: "dataset.test[…].name becomes a folder: letters, digits, ., _ and -.",
    });
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new MillraceError("BAD_CONFIG", `dataset.test has two test sets named ${twice}.`, {
      hint: "Each test set has a folder of its own: give one of them another name.",
    });
}
