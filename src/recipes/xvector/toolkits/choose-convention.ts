import { MillraceError } from "../../../index.ts";
import type { SpeakerCheckpoint } from "../../../speech.ts";
import type { XVectorSection } from "../xvector-config.ts";
import { builtin } from "./builtin.ts";
import { espnet } from "./espnet.ts";
import { onnx } from "./onnx.ts";
import { rawnet } from "./rawnet.ts";
import { speechbrain } from "./speechbrain.ts";
import type { ModelConvention, Toolkit } from "./toolkit.ts";
import type { ToolkitName } from "./toolkit-names.ts";
import { wespeaker } from "./wespeaker.ts";

const toolkits: Readonly<Record<ToolkitName, Toolkit>> = { speechbrain, espnet, rawnet, wespeaker, onnx, builtin };

/** The toolkit of a config; ESPnet by default, as in ESPnet3. */
export function toolkitOf({ toolkit }: XVectorSection): ToolkitName {
  return toolkit ?? "espnet";
}

/** The model of a config: a path, a name on the hub, or undefined for the built-in one. */
export function modelOf(section: XVectorSection): string | undefined {
  const name = toolkitOf(section);
  if (name === "builtin") return undefined;
  const model = section.pretrained_model ?? toolkits[name].defaultModel;
  if (model !== undefined) return model;
  throw new MillraceError(
    "BAD_CONFIG",
    `xvector.pretrained_model is missing; toolkit ${name} has no model of its own.`,
    {
      hint: "Name an ONNX file or a model on the hub, or use toolkit: builtin, which needs none.",
    },
  );
}

/** The convention of a checkpoint, or of the config's toolkit, with the changes of its `model:` section. */
export function conventionOf(section: XVectorSection, checkpoint?: SpeakerCheckpoint): ModelConvention {
  const convention =
    checkpoint === undefined ? toolkits[toolkitOf(section)].convention : conventionOfCheckpoint(checkpoint);
  const changed = section.model ?? {};
  const frontend = changed.frontend ?? convention.frontend;
  // The options of another front end do not apply to this one.
  const inherited = frontend === convention.frontend ? convention.frontendOptions : {};
  const windows = changed.windows ?? convention.windows;
  return {
    input: changed.input ?? convention.input,
    sampleRate: changed.sample_rate ?? convention.sampleRate,
    sampleScale: changed.sample_scale ?? convention.sampleScale,
    frontend,
    frontendOptions: { ...inherited, ...changed.frontend_options },
    cmvn: changed.cmvn ?? convention.cmvn,
    layout: changed.layout ?? convention.layout,
    lengths: changed.lengths ?? convention.lengths,
    inputName: changed.input_name ?? convention.inputName,
    outputName: changed.output_name ?? convention.outputName,
    minSeconds: section.min_seconds ?? convention.minSeconds,
    minFrames: changed.min_frames ?? convention.minFrames,
    windows: windows as ModelConvention["windows"],
    normalize: changed.normalize === "l2" ? "l2" : changed.normalize == null ? convention.normalize : "none",
    padding: convention.padding,
  };
}

/** How a checkpoint's own files say it is run: normalisation is part of its graph. */
function conventionOfCheckpoint({ toolkit, features, sampleRate, minLength }: SpeakerCheckpoint): ModelConvention {
  return {
    ...toolkits[toolkit].convention,
    sampleRate,
    ...(features === undefined
      ? { input: "waveform" }
      : {
          input: "features",
          frontend: features.frontend,
          frontendOptions: features.options,
          padding: "samples",
        }),
    cmvn: "none",
    layout: "time_major",
    lengths: "auto",
    minFrames: minLength,
  };
}
