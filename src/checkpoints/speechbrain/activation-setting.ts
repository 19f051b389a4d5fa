import {
  type Activation,
  celu,
  elu,
  gelu,
  hardtanh,
  identity,
  leakyRelu,
  mish,
  relu,
  selu,
  sigmoid,
  silu,
  softplus,
  tanh,
} from "../layers/activation.ts";
import { Settings, show } from "../settings.ts";
import { Tagged } from "../yaml-data.ts";

const activations: Readonly<Record<string, (settings: Settings) => Activation>> = {
  "torch.nn.ReLU": () => relu,
  "torch.nn.LeakyReLU": (settings) => leakyRelu(settings.number("negative_slope", 0.01)),
  "torch.nn.Tanh": () => tanh,
  "torch.nn.Sigmoid": () => sigmoid,
  "torch.nn.SiLU": () => silu,
  "torch.nn.ELU": (settings) => elu(settings.number("alpha", 1)),
  "torch.nn.CELU": (settings) => celu(settings.number("alpha", 1)),
  "torch.nn.SELU": () => selu,
  "torch.nn.ReLU6": () => hardtanh(0, 6),
  "torch.nn.Hardtanh": (settings) => hardtanh(settings.number("min_val", -1), settings.number("max_val", 1)),
  "torch.nn.Softplus": () => softplus,
  "torch.nn.Mish": () => mish,
  "torch.nn.GELU": (settings) => {
    settings.require("approximate", "none", "another function");
    return gelu;
  },
  "torch.nn.Identity": () => identity,
  "speechbrain.nnet.activations.Swish": (settings) => {
    settings.require("beta", 1, "another function");
    return silu;
  },
};

/** An activation: `!name:torch.nn.LeakyReLU`, with arguments below it. */
export function readActivation(settings: Settings, name: string, otherwise: Activation): Activation {
  const value = settings.value(name);
  if (value === undefined) return otherwise;
  const className = value instanceof Tagged ? /^!name:(.+)$/.exec(value.tag)?.[1] : undefined;
  const make = className !== undefined && Object.hasOwn(activations, className) ? activations[className] : undefined;
  if (make === undefined)
    throw settings.refuse(`${name}: ${show(value)} is not converted; known are ${Object.keys(activations).join(", ")}`);
  const given = value instanceof Tagged && value.value instanceof Map ? value.value : new Map();
  const inner = new Settings(given, { file: settings.origin.file, of: className! }).ignore("inplace");
  const activation = make(inner);
  inner.finish();
  return activation;
}
