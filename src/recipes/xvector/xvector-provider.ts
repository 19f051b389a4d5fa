import { EnvironmentProvider, MillraceError } from "../../index.ts";
import { type FrontEnd, makeFrontEnd } from "./make-front-end.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import type { SpeakerModel } from "./model/speaker-model.ts";
import { openSpeakerModel } from "./open-speaker-model.ts";
import { type SplitPlaces, splitPlaces } from "./outputs/split-places.ts";
import { type VectorFormat, vectorFormat } from "./outputs/vector-format.ts";
import type { AudioPolicy } from "./prepare-utterance.ts";
import { recipesUrl } from "./recipes-url.ts";
import { toolkitOf } from "./toolkits/choose-convention.ts";
import type { ModelConvention } from "./toolkits/toolkit.ts";
import { checkXVectorConfig, type XVectorConfig } from "./xvector-config.ts";
import type { XVectorResult } from "./xvector-result.ts";

/** The params of the provider, with ESPnet3's names. */
export interface XVectorParams {
  readonly manifest_path: string;
  /** The folder of the split's vectors: `save_path/spk_embed_tag/split`. */
  readonly output_dir: string;
  /** The digests of manifest and model when the run was created; a worker that finds others stops. */
  readonly manifest_digest?: string;
  readonly model_sha256?: string;
}

/** The env of `XVectorRunner.forward`. */
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
  /** Results of a batch in which another item failed. */
  readonly ready: Map<number, XVectorResult>;
}

/** Builds model, manifest and output folder once per worker. */
export class XVectorProvider extends EnvironmentProvider<XVectorEnv, XVectorConfig, XVectorParams> {
  static readonly module: string = recipesUrl;

  async buildEnvLocal(): Promise<XVectorEnv> {
    const section = checkXVectorConfig(this.config);
    const format = vectorFormat(section.output_format ?? undefined);
    const opened = await openSpeakerModel(section, { sha256: this.params.model_sha256 });
    return {
      ...opened,
      toolkit: toolkitOf(section),
      utterances: this.openManifest(),
      outputDir: this.params.output_dir,
      frontEnd: makeFrontEnd(opened.convention),
      policy: {
        channel: section.channel ?? "mix",
        ...(section.max_seconds == null ? {} : { maxSeconds: section.max_seconds }),
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

  private openManifest(): Manifest {
    const { manifest_path, manifest_digest } = this.params;
    const manifest = readManifest(manifest_path);
    if (manifest_digest !== undefined && manifest.digest() !== manifest_digest)
      throw new MillraceError("RUN_CHANGED", `${manifest_path} has changed since the run was begun.`, {
        hint: "Rows are known by their number: put the file back, or start over with resume: false.",
      });
    return manifest;
  }
}
