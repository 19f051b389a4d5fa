import { type Toolkit, usualConvention } from "./toolkit.ts";

/** ESPnet-SPK: the waveform at full scale 1 goes in, the front end is in the model. */
export const espnet: Toolkit = {
  defaultModel: "espnet/voxcelebs12_rawnet3",
  convention: { ...usualConvention, input: "waveform" },
};
