import { type Toolkit, usualConvention } from "./toolkit.ts";

/**
 * RawNet3, which was trained on 3 s of waveform: ten windows of that length, spread over the utterance, averaged;
 * shorter audio is repeated. As in ESPnet's recipes.
 */
export const rawnet: Toolkit = {
  convention: { ...usualConvention, input: "waveform", windows: { length: 48_000, count: 10 } },
};
