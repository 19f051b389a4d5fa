import { relu } from "../layers/activation.ts";
import { linear } from "../layers/convolution.ts";
import { batchNorm } from "../layers/normalisation.ts";
import type { Settings } from "../settings.ts";
import type { Projector } from "./parts.ts";

/** ESPnet's RawNet3Projector. */
export function readRawnetProjector(settings: Settings, inputs: number): Projector {
  const outputs = settings.count("output_size", 192);
  settings.finish();
  return {
    outputs,
    build: (module, x) => linear(module.in("fc"), batchNorm(module.in("bn"), x, inputs), { inputs, outputs }),
  };
}

/** ESPnet's SkaTdnnProjector. */
export function readSkaProjector(settings: Settings, inputs: number): Projector {
  const outputs = settings.count("output_size");
  settings.finish();
  return {
    outputs,
    build(module, x) {
      const projected = linear(module.in("fc"), batchNorm(module.in("bn"), x, inputs), { inputs, outputs });
      return batchNorm(module.in("bn2"), projected, outputs);
    },
  };
}

/** ESPnet's XvectorProjector. */
export function readXvectorProjector(settings: Settings, inputs: number): Projector {
  const outputs = settings.count("output_size");
  settings.finish();
  return {
    outputs,
    build(module, x) {
      const first = relu(module, linear(module.in("fc1"), x, { inputs, outputs }));
      return linear(module.in("fc2"), first, { inputs: outputs, outputs });
    },
  };
}
