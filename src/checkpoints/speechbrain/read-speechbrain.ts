import { badCheckpoint } from "../bad-checkpoint.ts";
import { Module } from "../module.ts";
import type { SpeakerCheckpoint } from "../speaker-checkpoint.ts";
import { readStateDict } from "../state-dict.ts";
import { readEcapaTdnn } from "./ecapa-tdnn.ts";
import type { EmbeddingModel } from "./embedding-model.ts";
import { type EmbeddingNormalisation, readEmbeddingNormalisation } from "./embedding-normalisation.ts";
import { readFbank } from "./features.ts";
import { Hyperparams, type NamedClass } from "./hyperparams.ts";
import { readInputNormalisation } from "./input-normalisation.ts";
import { readResnet } from "./resnet.ts";
import { readXvector } from "./xvector.ts";

const embeddingModels: Readonly<Record<string, (settings: NamedClass["settings"]) => EmbeddingModel>> = {
  "speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN": readEcapaTdnn,
  "speechbrain.lobes.models.Xvector.Xvector": readXvector,
  "speechbrain.lobes.models.ResNet.ResNet": readResnet,
};
const features = { "speechbrain.lobes.features.Fbank": readFbank };
const normalisation = "speechbrain.processing.features.InputNormalization";
const normalisations = { [normalisation]: readInputNormalisation };

interface SpeechbrainFiles {
  readonly config: string;
  readonly weights: string;
  readonly statistics?: string;
}

/** A checkpoint of SpeechBrain: what `EncoderClassifier.encode_batch` computes with it; with `normalize=True` if there are statistics. */
export function readSpeechbrain({ config, weights, statistics }: SpeechbrainFiles): SpeakerCheckpoint {
  const hyperparams = new Hyperparams(config);
  const fbank = choose(config, "compute_features", hyperparams, features);
  const normalise = choose(config, "mean_var_norm", hyperparams, normalisations);
  const embedding = choose(config, "embedding_model", hyperparams, embeddingModels);
  if (embedding.inputs !== fbank.features)
    throw badCheckpoint(
      config,
      `embedding_model takes ${embedding.inputs} features, compute_features gives ${fbank.features}`,
    );
  const finish: EmbeddingNormalisation =
    statistics === undefined
      ? (_model, vectors) => vectors
      : choose(config, "mean_var_norm_emb", hyperparams, {
          [normalisation]: (settings: NamedClass["settings"]) => readEmbeddingNormalisation(settings, statistics),
        });
  return {
    toolkit: "speechbrain",
    architecture: embedding.architecture,
    sampleRate: fbank.sampleRate,
    features: { frontend: "speechbrain_fbank", options: fbank.options },
    minLength: embedding.minFrames,
    dimension: embedding.outputs,
    convert() {
      const model = Module.of(readStateDict(weights));
      const { graph } = model;
      const feats = graph.input("feats", ["B", "T", fbank.mels]);
      const lengths = graph.input("lens", ["B"]);
      const normal = normalise(model, { feats: fbank.extend(model, feats), lengths });
      const vectors = embedding.build(model, { feats: normal, lengths });
      graph.output(finish(model, vectors, embedding.outputs), "embs", ["B", embedding.outputs]);
      return model.finish(embedding.architecture);
    },
  };
}

/** Reads a module of the file with the function for its class. */
function choose<T>(
  file: string,
  name: string,
  hyperparams: Hyperparams,
  known: Readonly<Record<string, (settings: NamedClass["settings"]) => T>>,
): T {
  const { className, settings } = hyperparams.module(name);
  if (Object.hasOwn(known, className)) return known[className]!(settings);
  throw badCheckpoint(
    file,
    `${name} is a ${className}, which is not converted; known: ${Object.keys(known).join(", ")}`,
  );
}
