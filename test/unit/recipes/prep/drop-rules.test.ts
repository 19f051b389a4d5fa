import { describe, expect, it } from "vitest";
import {
  audioRules,
  firstBroken,
  type MeasuredAudio,
  textRules,
} from "../../../../src/recipes/prep/clean/drop-rules.ts";
import { type DropSection, limitsOf } from "../../../../src/recipes/prep/sections/drop-section.ts";

const good: MeasuredAudio = { text: "one two", rawSeconds: 2, seconds: 1.5, levelDb: -20, clipped: 0 };

describe("the rules of texts", () => {
  it.each<[text: string, allowed: RegExp | undefined, drop: DropSection, rule: string | undefined, detail?: string]>([
    ["one two", undefined, {}, undefined],
    ["", undefined, {}, "empty_text", "nothing is left of it"],
    ["", undefined, { empty_text: false }, undefined],
    ["", undefined, { empty_text: false, min_characters: 3 }, undefined],
    ["take 3", /[a-z ]/u, {}, "bad_characters", "3"],
    ["naïve", /[a-z ]/u, {}, "bad_characters", "ï"],
    ["naïve", /[\p{L} ]/u, {}, undefined],
    ["a\u0007b", undefined, {}, "bad_characters", "U+0007"],
    ["caf\uFFFD", undefined, {}, "bad_characters", "�"],
    ["a\u{F0000}", undefined, {}, "bad_characters", "U+F0000"],
    ["😀", /[a-z]/u, {}, "bad_characters", "😀"],
    ["hello <s> there", undefined, {}, "reserved_symbol", "<s>"],
    ["a #0", undefined, {}, "reserved_symbol", "#0"],
    ["a#0b", undefined, {}, undefined],
    ["abc", undefined, { min_characters: 4 }, "too_few_characters", "3"],
    ["😀😀😀", undefined, { max_characters: 3 }, undefined],
    ["abcd", undefined, { max_characters: 3 }, "too_many_characters", "4"],
  ])("judge %j with %s and %j: %s", (text, allowed, drop, rule, detail) => {
    const broken = firstBroken(textRules, { text, allowed }, limitsOf(drop));
    expect(broken?.rule).toBe(rule);
    if (detail !== undefined) expect(broken?.detail).toBe(detail);
  });
});

describe("the rules of audio", () => {
  it.each<[measured: Partial<MeasuredAudio>, drop: DropSection, rule: string | undefined, detail?: string]>([
    [{}, {}, undefined],
    [{ seconds: 0.05 }, {}, "too_short", "0.05 s"],
    [{ seconds: 0.1 }, {}, undefined],
    [{ seconds: 0, rawSeconds: 0.01 }, {}, "too_short", "0.01 s"],
    [{ seconds: 0, rawSeconds: 3, levelDb: Number.NEGATIVE_INFINITY }, {}, "no_speech"],
    [{ seconds: 31 }, { max_seconds: 30 }, "too_long", "31 s"],
    [{ seconds: 30 }, { max_seconds: 30 }, undefined],
    [{ levelDb: -60.1 }, {}, "too_quiet", "-60.1 dB"],
    [{ levelDb: Number.NaN }, {}, "too_quiet"],
    [{ clipped: 0.02 }, {}, "clipped", "2 % of the samples"],
    [{ clipped: 0.02 }, { max_clipped: 0.02 }, undefined],
    [{ seconds: 7 }, { min_characters_per_second: 2 }, "too_slow", "1 characters a second"],
    [{ seconds: 7, text: "" }, { min_characters_per_second: 2 }, undefined],
    [{ seconds: 0.1 }, { max_characters_per_second: 30 }, "too_fast", "70 characters a second"],
  ])("judge %j with %j: %s", (measured, drop, rule, detail) => {
    const broken = firstBroken(audioRules, { ...good, ...measured }, limitsOf(drop));
    expect(broken?.rule).toBe(rule);
    if (detail !== undefined) expect(broken?.detail).toBe(detail);
  });

  it("have names of their own", () => {
    const names = [...textRules, ...audioRules].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
