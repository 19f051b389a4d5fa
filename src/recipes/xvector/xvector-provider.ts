import { EnvironmentProvider, MillraceError } from "../../index.ts";
import { loadOnnx } from "../../speech.ts";
import { loadBuiltinModel } from "./builtin-model.ts";
import { type FrontEnd, makeFrontEnd } from "./make-front-end.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { findModel } from "./model/find-model.ts";
import { makeSpeakerModel, type SpeakerModel } from "./model/speaker-model.ts";
import { type SplitPlaces, splitPlaces } from "./outputs/split-places.ts";
import { type VectorFormat, vectorFormat } from "./outputs/vector-format.ts";
import type { AudioPolicy } from "./prepare-utterance.ts";
import { recipesUrl } from "./recipes-url.ts";
import { conventionOf, toolkitOf } from "./toolkits/choose-convention.ts";
import type { ModelConvention } from "./toolkits/toolkit.ts";
import { checkXVectorConfig, type XVectorConfig, type XVectorSection } from "./xvector-config.ts";
import type { XVectorResult } from "./xvector-result.ts";

/** What is told to a provider beside the config, by the names of ESPnet3. */
export interface XVectorParams {
  readonly manifest_path: string;
  /** The folder of the split's vectors: `save_path/spk_embed_tag/split`. */
  readonly output_dir: string;
  /** What the manifest and the model were when the run was begun; a worker that finds others does not go on. */
  readonly manifest_digest?: string;
  readonly model_sha256?: string;
}

/** What `XVectorRunner.forward` works with. */
export interface XVectorEnv {
  readonly model: SpeakerModel;
  readonly toolkit: string;
  readonly device: string;
  readonly utterances: Manifest;
  readonly outputDir: string;
  readonly frontEnd: FrontEnd;
  readonly convention: ModelConvention;
  readonly policy: AudioPolicy;
  readonly format: VectorFormat;
  readonly places: SplitPlaces;
  /** What was computed of a batch in which another item failed. */
  readonly ready: Map<number, XVectorResult>;
}

/** Builds model, manifest and output folder once per worker. */
export class XVectorProvider extends EnvironmentProvider<XVectorEnv, XVectorConfig, XVectorParams> {
  static readonly module: string = recipesUrl;

  async buildEnvLocal(): Promise<XVectorEnv> {
    const section = checkXVectorConfig(this.config);
    const convention = conventionOf(section);
    const format = vectorFormat(section.output_format ?? undefined);
    return {
      model: await this.loadModel(section, convention),
      toolkit: toolkitOf(section),
      device: deviceOf(section),
      utterances: this.openManifest(),
      outputDir: this.params.output_dir,
      frontEnd: makeFrontEnd(convention),
      convention,
      policy: {
        channel: section.channel ?? "mix",
        silenceDb: section.silence_db ?? -70,
        maxClipped: section.max_clipped ?? 1,
      },
      format,
      places: splitPlaces(this.params.output_dir, format),
      ready: new Map(),
    };
  }

  override async teardown({ model }: XVectorEnv): Promise<void> {
    await model.release();
  }

  private async loadModel(section: XVectorSection, convention: ModelConvention): Promise<SpeakerModel> {
    const options = { device: deviceOf(section), threads: section.threads ?? 1 };
    const found = await findModel(section);
    const { model_sha256 } = this.params;
    if (found !== undefined && model_sha256 !== undefined && found.sha256 !== model_sha256)
      throw changed(found.path, "The vectors so far are of another model");
    const session = await (found === undefined ? loadBuiltinModel(options) : loadOnnx(found.path, options));
    // On a CPU a larger batch wins little, and an utterance should not feel its neighbours.
    const stack = section.stack ?? options.device !== "cpu";
    return makeSpeakerModel(session, convention, { name: found?.path ?? "the built-in model", stack });
  }

  private openManifest(): Manifest {
    const { manifest_path, manifest_digest } = this.params;
    const manifest = readManifest(manifest_path);
    if (manifest_digest !== undefined && manifest.digest() !== manifest_digest)
      throw changed(manifest_path, "Rows are known by their number");
    return manifest;
  }
}

function deviceOf({ device }: XVectorSection): string {
  return device ?? "cpu";
}

function changed(path: string, why: string): MillraceError {
  return new MillraceError("RUN_CHANGED", `${path} has changed since the run was begun.`, {
    hint: `${why}: put the file back, or start over with resume: false.`,
  });
}
