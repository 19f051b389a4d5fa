import { MillraceError, type ModelTensor } from "../../../index.ts";
import type { FeatureMatrix, OnnxModel } from "../../../speech.ts";
import type { FrontEnd } from "../make-front-end.ts";
import type { ModelConvention } from "../toolkits/toolkit.ts";
import { cutWindows } from "./cut-windows.ts";
import { chooseInputs, type ModelInputs } from "./model-inputs.ts";
import { lengthsOf, stackTensors } from "./stack-tensors.ts";

/** A speaker model: one vector for each utterance. */
export interface SpeakerModel {
  embed(utterances: readonly FeatureMatrix[]): Promise<Float32Array[]>;
  release(): Promise<void>;
}

export interface SpeakerModelOptions {
  /** Its name in messages. */
  readonly name: string;
  /**
   * Runs several utterances at once: of equal length, or of any length if the model gets the lengths. Faster on a GPU;
   * on a CPU it only changes the last digits, and so the bytes of a resumed run.
   */
  readonly stack: boolean;
  /** Computes the features of samples that zeros were added to, if utterances of all lengths run at once. */
  readonly features?: FrontEnd;
}

// Enough to fill a GPU, little enough for an hour of audio in windows. For pieces of one length only: a padded batch is
// that of the user's batch_size, because a vector depends on how far its utterance was padded.
const maxAtOnce = 32;

/** One piece of an utterance for the model. */
interface Piece {
  readonly owner: number;
  readonly matrix: FeatureMatrix;
}

/** Makes a speaker model from a loaded graph and its convention. */
export function makeSpeakerModel(
  session: OnnxModel,
  convention: ModelConvention,
  { name, stack, features }: SpeakerModelOptions,
): SpeakerModel {
  const inputs = chooseInputs(session, convention, name);
  const isPadded =
    stack && inputs.lengths !== undefined && (convention.padding === "features" || features !== undefined);
  const run = async (pieces: readonly Piece[]): Promise<Float32Array[]> => {
    let results: Readonly<Record<string, ModelTensor>>;
    const matrices = pieces.map(({ matrix }) => matrix);
    const tensors =
      features === undefined
        ? stackTensors(matrices, inputs, name)
        : { ...stackTensors(padSamples(matrices, features), inputs, name), ...lengthsOf(matrices, inputs) };
    try {
      results = await session.run(tensors);
    } catch (cause) {
      throw new MillraceError("BAD_MODEL", `${name} cannot be run: ${(cause as Error).message}`, {
        cause,
        hint: `It got ${describe(tensors)}. Compare that with what the model takes, and set xvector.model accordingly.`,
      });
    }
    return vectorsOf(results[inputs.output], pieces.length, name);
  };
  return {
    release: () => session.release(),
    async embed(utterances) {
      const pieces = utterances.flatMap((matrix, owner) =>
        cutWindows(matrix, convention.windows).map((window) => ({ owner, matrix: window })),
      );
      const sums: Float64Array[] = [];
      const counts = new Uint32Array(utterances.length);
      const isWindowed = convention.windows !== undefined;
      for (const group of groupPieces(pieces, inputs, { stack, isPadded, isWindowed })) {
        const vectors = await run(group);
        for (const [i, { owner }] of group.entries()) {
          const vector = vectors[i]!;
          sums[owner] ??= new Float64Array(vector.length);
          addTo(sums[owner], vector);
          counts[owner] = counts[owner]! + 1;
        }
      }
      return sums.map((sum, owner) => finish(sum, counts[owner]!, convention.normalize));
    },
  };
}

/**
 * Groups the pieces that run together. The windows of one utterance always do; different utterances only on request.
 */
function groupPieces(
  pieces: readonly Piece[],
  { isBatched }: ModelInputs,
  {
    stack,
    isPadded,
    isWindowed,
  }: { readonly stack: boolean; readonly isPadded: boolean; readonly isWindowed: boolean },
): Piece[][] {
  const groups = new Map<string, Piece[]>();
  for (const [i, piece] of pieces.entries()) {
    const length = isPadded ? "any" : piece.matrix.rows;
    const key = isBatched ? `${stack ? "" : piece.owner}:${length}` : String(i);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [piece]);
    else group.push(piece);
  }
  return [...groups.values()].flatMap((group) => {
    if (isPadded && !isWindowed) return [group];
    const count = Math.ceil(group.length / maxAtOnce);
    return Array.from({ length: count }, (_, i) => group.slice(i * maxAtOnce, (i + 1) * maxAtOnce));
  });
}

/** The features of samples that are all as long as the longest. */
function padSamples(waves: readonly FeatureMatrix[], features: FrontEnd): FeatureMatrix[] {
  const longest = Math.max(...waves.map(({ rows }) => rows));
  return waves.map(({ data }) => {
    const samples = new Float32Array(longest);
    samples.set(data);
    return features(samples);
  });
}

function addTo(sum: Float64Array, vector: Float32Array): void {
  for (let k = 0; k < sum.length; k++) sum[k] = sum[k]! + vector[k]!;
}

function finish(sum: Float64Array, count: number, normalize: ModelConvention["normalize"]): Float32Array {
  const length = normalize === "l2" ? Math.hypot(...sum) : count;
  const vector = new Float32Array(sum.length);
  for (let k = 0; k < sum.length; k++) vector[k] = sum[k]! / length;
  return vector;
}

function describe(tensors: Readonly<Record<string, ModelTensor>>): string {
  return Object.entries(tensors)
    .map(([name, { dtype, shape }]) => `${name}: ${dtype} [${shape.join(", ")}]`)
    .join(", ");
}

/** The vectors in a model's output. Dimensions of size 1, which some exports leave in, are removed. */
function vectorsOf(output: ModelTensor | undefined, count: number, model: string): Float32Array[] {
  const numbers = output?.data;
  if (output === undefined || !(numbers instanceof Float32Array || numbers instanceof Float64Array))
    throw refuse(model, `gives ${output === undefined ? "nothing" : output.dtype}`, "A vector of floats was expected.");
  const { shape } = output;
  const wide = shape.slice(shape[0] === count ? 1 : 0).filter((size) => size !== 1);
  const [size = 1] = wide;
  if (wide.length > 1 || size * count !== numbers.length)
    throw refuse(
      model,
      `gives a tensor of [${shape.join(", ")}] for ${count} utterance${count === 1 ? "" : "s"}`,
      "One vector each was expected. Name the pooled output in xvector.model.output_name.",
    );
  return Array.from({ length: count }, (_, i) => checkVector(numbers.subarray(i * size, (i + 1) * size), model));
}

/** A model gives an output for any input; an invalid vector is refused. */
function checkVector(values: Float32Array | Float64Array, model: string): Float32Array {
  const vector = new Float32Array(values);
  let [isAllFinite, isZero] = [true, true];
  for (const value of vector) {
    isAllFinite &&= Number.isFinite(value);
    isZero &&= value === 0;
  }
  if (!isAllFinite)
    throw refuse(model, "gave a non-finite embedding (NaN or infinity)", "The audio or the model is damaged.");
  if (isZero) throw refuse(model, "gave an embedding of zeros only", "The audio or the model is damaged.");
  return vector;
}

function refuse(model: string, what: string, hint: string): MillraceError {
  return new MillraceError("BAD_MODEL", `${model} ${what}.`, { hint });
}
