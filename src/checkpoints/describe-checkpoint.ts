import { readEspnet } from "./espnet/read-espnet.ts";
import { readRawnet } from "./read-rawnet.ts";
import type { CheckpointFiles, SpeakerCheckpoint } from "./speaker-checkpoint.ts";
import { readSpeechbrain } from "./speechbrain/read-speechbrain.ts";

/** A graph of this version differs from that of another for the same checkpoint. */
export const converterVersion = 3;

/**
 * Describes a checkpoint of SpeechBrain, ESPnet-SPK or RawNet, which can then be converted to ONNX. Its classes are
 * compared with known ones by name, and no code of it is ever run; what is not known is refused by its name.
 */
export function describeCheckpoint(files: CheckpointFiles): SpeakerCheckpoint {
  switch (files.toolkit) {
    case "speechbrain":
      return readSpeechbrain(files);
    case "espnet":
      return readEspnet(files);
    case "rawnet":
      return readRawnet(files);
  }
}
