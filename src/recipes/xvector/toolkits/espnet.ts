import { type Toolkit, usualConvention } from "./toolkit.ts";

/** ESPnet-SPK: the input is the waveform at full scale 1; the front end is part of the model. */
export const espnet: Toolkit = {
  defaultModel: "espnet/voxcelebs12_rawnet3",
  convention: { ...usualConvention, input: "waveform" },
};
