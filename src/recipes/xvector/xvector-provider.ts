import type { Dataset } from "../../datasets.ts";
import { EnvironmentProvider, MillraceError } from "../../index.ts";
import type { DatasetTarget } from "../utterances/dataset-target.ts";
import type { SpeechRow } from "../utterances/speech-row.ts";
import { type FrontEnd, makeFrontEnd } from "./make-front-end.ts";
import type { SpeakerModel } from "./model/speaker-model.ts";
import { openSpeakerModel } from "./open-speaker-model.ts";
import { type SplitPlaces, splitPlaces } from "./outputs/split-places.ts";
import { type VectorFormat, vectorFormat } from "./outputs/vector-format.ts";
import type { AudioPolicy } from "./prepare-utterance.ts";
import { recipesUrl } from "./recipes-url.ts";
import { type OpenedSplit, openSplit, type SplitSource, type SplitUtterances } from "./split-utterances.ts";
import { toolkitOf } from "./toolkits/choose-convention.ts";
import type { ModelConvention } from "./toolkits/toolkit.ts";
import { checkXVectorConfig, type XVectorConfig, type XVectorSection } from "./xvector-config.ts";
import type { XVectorResult } from "./xvector-result.ts";

/** The params of the provider, with ESPnet3's names. */
export interface XVectorParams {
  /** The manifest; with `dataset`, what messages call that. */
  readonly manifest_path: string;
  /** The section that opens the dataset of the split, if it has no manifest. */
  readonly dataset?: DatasetTarget;
  /** The folder that the `_target_` of the dataset is resolved against. Default: the current one. */
  readonly project_root?: string;
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
  readonly utterances: SplitUtterances;
  /** The rows, if the split is a dataset. */
  readonly dataset: Dataset<SpeechRow> | undefined;
  readonly outputDir: string;
  readonly frontEnd: FrontEnd;
  readonly convention: ModelConvention;
  readonly policy: AudioPolicy;
  readonly format: VectorFormat;
  readonly places: SplitPlaces;
  /** Results of a batch in which another item failed. */
  readonly ready: Map<number, XVectorResult>;
}

/** The manifest or dataset that the params name. */
export function sourceOf(params: XVectorParams, { columns }: XVectorSection): SplitSource {
  const { manifest_path, dataset, project_root: projectRoot = process.cwd() } = params;
  return { manifest: dataset ?? manifest_path, columns: columns ?? {}, projectRoot };
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
      ...(await this.openSplit(section)),
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

  override async teardown({ model, dataset }: XVectorEnv): Promise<void> {
    await model.release();
    await dataset?.close();
  }

  private async openSplit(section: XVectorSection): Promise<OpenedSplit> {
    const { manifest_path, manifest_digest } = this.params;
    const opened = await openSplit(sourceOf(this.params, section));
    if (manifest_digest === undefined || opened.utterances.digest() === manifest_digest) return opened;
    await opened.dataset?.close();
    throw new MillraceError("RUN_CHANGED", `${manifest_path} has changed since the run was begun.`, {
      hint: "Rows are known by their number: put the file back, or start over with resume: false.",
    });
  }
}
