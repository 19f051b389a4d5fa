import { badAudio } from "./bad-audio.ts";

const [minRate, maxRate, maxChannels] = [1000, 1_000_000, 1024];

/**
 * Refuses values that no recording has: a rate of 1 Hz would make a small file fill the memory when it is resampled.
 */
export function checkHeader(name: string, header: { readonly sampleRate: number; readonly channels: number }): void {
  const { sampleRate, channels } = header;
  if (!Number.isInteger(sampleRate) || sampleRate < minRate || sampleRate > maxRate) {
    const what = `has a header that says a sample rate of ${sampleRate} Hz; ${minRate} to ${maxRate} are read`;
    throw badAudio(name, what, "the header is broken: make or fetch the file again");
  }
  if (channels < 1 || channels > maxChannels) {
    const what = `has a header that says ${channels} channels; 1 to ${maxChannels} are read`;
    throw badAudio(name, what, "the header is broken: make or fetch the file again");
  }
}
