import { describe, expect, it } from "vitest";
import { speechSegments } from "../../../src/features/vad/speech-segments.ts";

/** Decisions from text: `#` is speech, `~` is neither, `.` is none. */
const decide = (text: string) => Float32Array.from(text, (letter) => ({ "#": 1, "~": 0.4, ".": 0 })[letter]!);
// One decision is 10 ms: 160 samples.
const plain = { minSpeechMs: 0, minSilenceMs: 0, padMs: 0 };
const inFrames = (text: string, options: object) =>
  speechSegments(decide(text), { ...plain, ...options }).map(({ start, end }) => [start / 160, end / 160]);

describe("speechSegments", () => {
  it("gives one segment for each stretch of speech, also at the ends", () => {
    expect(inFrames("##..###.#", {})).toEqual([
      [0, 2],
      [4, 7],
      [8, 9],
    ]);
  });

  it("gives none for silence, and none for nothing", () => {
    expect(inFrames("....", {})).toEqual([]);
    expect(inFrames("", {})).toEqual([]);
  });

  it("continues through what is neither speech nor silence", () => {
    expect(inFrames("~##~~#~~...", {})).toEqual([[1, 8]]);
  });

  it("does not end at a pause that is too short", () => {
    expect(inFrames("##..##.....##", { minSilenceMs: 30 })).toEqual([
      [0, 6],
      [11, 13],
    ]);
  });

  it("leaves out speech that is too short", () => {
    expect(inFrames("#...####...##", { minSpeechMs: 25 })).toEqual([[4, 8]]);
  });

  it("adds to both sides, but not beyond the ends and never into a neighbour", () => {
    expect(inFrames(".##......##..##", { padMs: 20 })).toEqual([
      [0, 5],
      [7, 12],
      [12, 15],
    ]);
  });

  it("ends where the samples end", () => {
    expect(speechSegments([0, 1], { ...plain, frameShift: 512, sampleCount: 700 })).toEqual([{ start: 512, end: 700 }]);
  });
});
