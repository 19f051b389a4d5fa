import { MillraceError } from "../../index.ts";
import { loadOnnx } from "../../speech.ts";
import { loadBuiltinModel } from "./builtin-model.ts";
import { makeFrontEnd } from "./make-front-end.ts";
import { findModel } from "./model/find-model.ts";
import { makeSpeakerModel, type SpeakerModel } from "./model/speaker-model.ts";
import { type OnDevice, openOnDevice } from "./open-on-device.ts";
import { conventionOf } from "./toolkits/choose-convention.ts";
import type { ModelConvention } from "./toolkits/toolkit.ts";
import type { XVectorSection } from "./xvector-config.ts";

/** Options of {@link openSpeakerModel}. */
export interface OpenSpeakerModelOptions {
  /** The SHA-256 that the model must have, because vectors of it are there already. */
  readonly sha256?: string | undefined;
}

/** A speaker model on its device, with the input that its `embed` takes. */
export interface OpenedSpeakerModel extends OnDevice<SpeakerModel> {
  readonly convention: ModelConvention;
}

/**
 * Opens the model of an `xvector:` section on its device: an ONNX file or a PyTorch checkpoint, from a file, a folder or the hub.
 * `embed` takes what `convention` says of each utterance (the toolkit's features, or samples) and returns their vectors; `release`
 * frees its memory.
 */
export async function openSpeakerModel(
  section: XVectorSection,
  { sha256 }: OpenSpeakerModelOptions = {},
): Promise<OpenedSpeakerModel> {
  const found = await findModel(section);
  if (found !== undefined && sha256 !== undefined && found.sha256 !== sha256) {
    throw new MillraceError("RUN_CHANGED", `${found.path} has changed since the run was begun.`, {
      hint: "The vectors so far are of another model: put the file back, or start over with resume: false.",
    });
  }
  const whole = conventionOf(section, found?.converted?.checkpoint);
  // Samples are put together before features are computed from them.
  const isPadded = section.stack === true && whole.padding === "samples" && whole.windows === undefined;
  const convention: ModelConvention = isPadded ? { ...whole, input: "waveform", minFrames: 1 } : whole;
  const name = found?.path ?? "the built-in model";
  const { device, model: session } = await openOnDevice(section.device, (on) => {
    const options = { device: on, threads: section.threads ?? 1, name };
    return found === undefined ? loadBuiltinModel(options) : loadOnnx(found.converted?.graph ?? found.path, options);
  });
  const model = makeSpeakerModel(session, whole, {
    name,
    // On a CPU a larger batch gains little, and neighbours should not affect an utterance's result.
    stack: section.stack ?? device !== "cpu",
    ...(isPadded ? { features: makeFrontEnd(whole) } : {}),
  });
  return { device, model, convention };
}
