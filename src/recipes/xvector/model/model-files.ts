import { MillraceError } from "../../../index.ts";
import { type FindCheckpointOptions, findCheckpoint, type GetFile } from "../../../speech.ts";
import type { ModelFiles } from "./found-model.ts";

const maxNamesShown = 10;

/** Chooses the model among the names of a folder or repository: its only ONNX file, or the files of a checkpoint. */
export async function chooseModelFiles(
  place: string,
  names: readonly string[],
  { get, ...options }: FindCheckpointOptions & { readonly get: GetFile },
): Promise<ModelFiles> {
  const onnx = names.filter((name) => name.endsWith(".onnx"));
  if (onnx.length === 1) return { onnx: await get(onnx[0]!) };
  if (onnx.length > 1) {
    const more = onnx.length > maxNamesShown ? ` and ${onnx.length - maxNamesShown} more` : "";
    throw new MillraceError(
      "BAD_MODEL",
      `${place} has several ONNX files: ${onnx.slice(0, maxNamesShown).join(", ")}${more}.`,
      { hint: "Name one of them in xvector.model_file." },
    );
  }
  const checkpoint = await findCheckpoint(names, get, options);
  if (checkpoint !== undefined) return checkpoint;
  throw new MillraceError("BAD_MODEL", `${place} has no ONNX file, and no checkpoint that can be converted.`, {
    hint: "Checkpoints of SpeechBrain, ESPnet-SPK and RawNet are converted. Export others once (docs/xvectors.md shows how) and give the path of the file in xvector.pretrained_model.",
  });
}
