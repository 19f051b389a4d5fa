import type { Value } from "../../models/onnx/graph-builder.ts";
import { badCheckpoint } from "../bad-checkpoint.ts";
import { clamp, meanOverTime, square } from "../layers/pooling.ts";
import { Module } from "../module.ts";
import { Settings, show } from "../settings.ts";
import type { SpeakerCheckpoint } from "../speaker-checkpoint.ts";
import { readStateDict } from "../state-dict.ts";
import { readYamlData, type YamlMap } from "../yaml-data.ts";
import { readAsteroidFrontend } from "./asteroid-frontend.ts";
import { readEcapaEncoder } from "./ecapa-tdnn.ts";
import { readMelspecFrontend } from "./melspec-frontend.ts";
import { readAttentivePooling, readMeanPooling, readStatsPooling } from "./pooling.ts";
import { readRawnetProjector, readSkaProjector, readXvectorProjector } from "./projectors.ts";
import { readRawnet3 } from "./rawnet3.ts";
import { readSkaEncoder } from "./ska-tdnn.ts";
import { readXvectorEncoder } from "./xvector.ts";

const frontEnds = { asteroid_frontend: readAsteroidFrontend, melspec_torch: readMelspecFrontend };
const normalisations = { utterance_mvn: readUtteranceMvn };
const encoders = {
  rawnet3: readRawnet3,
  ecapa_tdnn: readEcapaEncoder,
  xvector: readXvectorEncoder,
  ska_tdnn: readSkaEncoder,
};
const poolings = { chn_attn_stat: readAttentivePooling, mean: readMeanPooling, stats: readStatsPooling };
const projectors = { rawnet3: readRawnetProjector, ska_tdnn: readSkaProjector, xvector: readXvectorProjector };

/** What ESPnet takes where a file does not name a part. */
const defaults: Readonly<Record<string, string>> = {
  encoder: "rawnet3",
  pooling: "chn_attn_stat",
  projector: "rawnet3",
};

/** A checkpoint of ESPnet-SPK: what its modules compute for one utterance. */
export function readEspnet({ config, weights }: { config: string; weights: string }): SpeakerCheckpoint {
  const given = readYamlData(config);
  const part = <T>(name: string, known: Readonly<Record<string, T>>) => choosePart(name, known, given, config);
  const frontEndPart = part("frontend", frontEnds);
  const frontEnd = frontEndPart.read(frontEndPart.settings);
  const normalise = given.get("normalize") == null ? undefined : part("normalize", normalisations);
  const normaliseFeats = normalise?.read(normalise.settings) ?? ((_module: Module, feats: Value) => feats);
  const encoderPart = part("encoder", encoders);
  const encoder = encoderPart.read(encoderPart.settings, frontEnd.outputs);
  const poolingPart = part("pooling", poolings);
  const pooling = poolingPart.read(poolingPart.settings, encoder.outputs);
  const projectorPart = part("projector", projectors);
  const projector = projectorPart.read(projectorPart.settings, pooling.outputs);
  const architecture = [frontEndPart, encoderPart, poolingPart, projectorPart].map(({ name }) => name).join(", ");
  return {
    toolkit: "espnet",
    architecture,
    sampleRate: sampleRateOf(given, config),
    features: undefined,
    minLength: frontEnd.samplesFor(encoder.minFrames),
    dimension: projector.outputs,
    convert() {
      const model = Module.of(readStateDict(weights));
      const { graph } = model;
      const wave = graph.input("wave", ["B", "N"]);
      const feats = frontEnd.build(model.in("frontend"), wave);
      const count = frontEnd.count?.(model.in("frontend"), wave) ?? countFrames(model, feats);
      const encoded = encoder.build(model.in("encoder"), normaliseFeats(model.in("normalize"), feats));
      const frames = encoder.lengthens === true ? firstFrames(model, encoded, count) : encoded;
      const pooled = pooling.build(model.in("pooling"), { frames, count: model.op("Cast", [count], { to: 1n }) });
      const vector = projector.build(model.in("projector"), pooled);
      graph.output(vector, "embs", ["B", projector.outputs]);
      // The classifier of the speakers of training.
      model.skip("loss");
      return model.finish(architecture);
    },
  };
}

/** The length of the time axis as an integer. */
function countFrames(model: Module, x: Value): Value {
  return model.op("Gather", [model.op("Shape", [x]), model.graph.integers(2)], { axis: 0n });
}

/** The frames that the pooling of ESPnet uses, of which there are not more than those of the front end. */
function firstFrames(model: Module, x: Value, count: Value): Value {
  const { graph } = model;
  return model.op("Slice", [x, graph.integers(0), count, graph.integers(2)]);
}

interface Part<T> {
  readonly name: string;
  readonly read: T;
  readonly settings: Settings;
}

/** A part of the model: the class that the file names, with its settings. */
function choosePart<T>(what: string, known: Readonly<Record<string, T>>, given: YamlMap, file: string): Part<T> {
  const name = given.get(what) ?? (given.has(what) ? null : (defaults[what] ?? null));
  if (typeof name !== "string" || !Object.hasOwn(known, name))
    throw badCheckpoint(
      file,
      `${what}: ${show(name)} is not converted${what === "frontend" ? upstreamOf(given) : ""}; known: ${Object.keys(known).join(", ")}`,
    );
  const settings = given.get(`${what}_conf`) ?? null;
  if (settings !== null && !(settings instanceof Map))
    throw badCheckpoint(file, `${what}_conf is ${show(settings)}; keys with values were expected`);
  const origin = { file, of: `${what} ${name}` };
  return { name, read: known[name]!, settings: new Settings(settings ?? new Map(), origin) };
}

/** The model within a self-supervised front end: its weights alone are larger than all others. */
function upstreamOf(given: YamlMap): string {
  const outer = given.get("frontend_conf");
  const inner = outer instanceof Map ? outer.get("frontend_conf") : undefined;
  const upstream = inner instanceof Map ? inner.get("upstream") : undefined;
  return typeof upstream === "string" ? ` (${upstream}, a self-supervised model)` : "";
}

function sampleRateOf(given: YamlMap, file: string): number {
  const preprocessor = given.get("preprocessor_conf");
  const rate = given.get("sample_rate") ?? (preprocessor instanceof Map ? preprocessor.get("sample_rate") : undefined);
  if (rate === undefined || rate === null) return 16_000;
  // Its front ends are made for this rate, whatever the audio was.
  if (rate === 16_000) return rate;
  throw badCheckpoint(file, `sample_rate is ${show(rate)}; only 16000 is converted`);
}

/** ESPnet's UtteranceMVN over [batch, feature, time]. */
function readUtteranceMvn(settings: Settings): (module: Module, feats: Value) => Value {
  const hasMean = settings.flag("norm_means", true);
  const hasVariance = settings.flag("norm_vars", false);
  const epsilon = settings.number("eps", 1e-20);
  settings.finish();
  return (module, feats) => {
    const centred = module.op("Sub", [feats, meanOverTime(module, feats)]);
    const normal = hasMean ? centred : feats;
    if (!hasVariance) return normal;
    const deviation = module.op("Sqrt", [meanOverTime(module, square(module, centred))]);
    return module.op("Div", [normal, clamp(module, deviation, epsilon)]);
  };
}
