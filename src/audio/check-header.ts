import { badAudio } from "./bad-audio.ts";

const [leastRate, mostRate, mostChannels] = [1000, 1_000_000, 1024];

/** Refuses what no recording has: a rate of 1 Hz would make a small file fill the memory once it is resampled. */
export function checkHeader(name: string, header: { readonly sampleRate: number; readonly channels: number }): void {
  const { sampleRate, channels } = header;
  if (!Number.isInteger(sampleRate) || sampleRate < leastRate || sampleRate > mostRate) {
    const what = `has a header that says a sample rate of ${sampleRate} Hz; ${leastRate} to ${mostRate} are read`;
    throw badAudio(name, what, "the header is broken: make or fetch the file again");
  }
  if (channels < 1 || channels > mostChannels) {
    const what = `has a header that says ${channels} channels; 1 to ${mostChannels} are read`;
    throw badAudio(name, what, "the header is broken: make or fetch the file again");
  }
}
