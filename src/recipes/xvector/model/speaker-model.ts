import { MillraceError, type ModelTensor } from "../../../index.ts";
import type { FeatureMatrix, OnnxModel } from "../../../speech.ts";
import type { ModelConvention } from "../toolkits/toolkit.ts";
import { cutWindows } from "./cut-windows.ts";
import { chooseInputs, type ModelInputs } from "./model-inputs.ts";
import { vectorsOf } from "./model-output.ts";
import { stackTensors } from "./stack-tensors.ts";

/** A speaker model: one vector for each utterance. */
export interface SpeakerModel {
  embed(utterances: readonly FeatureMatrix[]): Promise<Float32Array[]>;
  release(): Promise<void>;
}

export interface SpeakerModelOptions {
  /** What messages call it. */
  readonly name: string;
  /**
   * Puts several utterances into one run: of equal length, or of any length where the model is told their lengths. Faster
   * on a GPU; on a CPU it only changes the last digits, and with them what a killed run gives.
   */
  readonly stack: boolean;
}

// Enough to fill a GPU, little enough for an hour of audio in windows.
const mostAtOnce = 32;

/** One piece of an utterance on its way through the model. */
interface Piece {
  readonly owner: number;
  readonly matrix: FeatureMatrix;
}

/** Makes a speaker model of a loaded graph and the convention it follows. */
export function makeSpeakerModel(
  session: OnnxModel,
  convention: ModelConvention,
  { name, stack }: SpeakerModelOptions,
): SpeakerModel {
  const inputs = chooseInputs(session, convention, name);
  const run = async (pieces: readonly Piece[]): Promise<Float32Array[]> => {
    let results: Readonly<Record<string, ModelTensor>>;
    const tensors = stackTensors(
      pieces.map(({ matrix }) => matrix),
      inputs,
      name,
    );
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
      for (const group of groupPieces(pieces, inputs, stack)) {
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

/** What goes through the model together. The windows of one utterance always do; neighbours only where that is asked for. */
function groupPieces(pieces: readonly Piece[], { isBatched, lengths }: ModelInputs, stack: boolean): Piece[][] {
  const groups = new Map<string, Piece[]>();
  for (const [i, piece] of pieces.entries()) {
    const length = stack && lengths !== undefined ? "any" : piece.matrix.rows;
    const key = isBatched ? `${stack ? "" : piece.owner}:${length}` : String(i);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [piece]);
    else group.push(piece);
  }
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / mostAtOnce) }, (_, i) =>
      group.slice(i * mostAtOnce, (i + 1) * mostAtOnce),
    ),
  );
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
    .map(([name, { type, dims }]) => `${name}: ${type} [${dims.join(", ")}]`)
    .join(", ");
}
