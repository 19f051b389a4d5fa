// The whole table is compared with PyYAML in test/integration/config-omegaconf.test.ts; this is what one has to know.
import { describe, expect, it } from "vitest";
import { Float, type ScalarValue } from "../../../src/config/config-node.ts";
import { readPlainScalar, readTaggedScalar } from "../../../src/config/yaml-scalar.ts";

const float = (value: number) => new Float(value);

describe("readPlainScalar", () => {
  it.each<[string, ScalarValue]>([
    ["", null],
    ["~", null],
    ["null", null],
    ["yes", true],
    ["Off", false],
    ["y", "y"],
    ["1", 1],
    ["-0", 0],
    ["1_000", 1000],
    ["010", 8],
    ["08", "08"],
    ["0o10", "0o10"],
    ["0x1F", 31],
    ["-0b11", -3],
    ["12:30:45", 45045],
    ["04:00:00", "04:00:00"],
    ["1e3", float(1000)],
    ["1.", float(1)],
    [".5", float(0.5)],
    [".5e3", ".5e3"],
    ["1:2.5", float(62.5)],
    ["-.inf", float(Number.NEGATIVE_INFINITY)],
    [".NaN", float(Number.NaN)],
    ["inf", "inf"],
    ["2024-01-02", "2024-01-02"],
    ["1,000", "1,000"],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ])("%j", (text, expected) => {
    expect(readPlainScalar(text)).toEqual(expected);
  });

  it.each(["9007199254740992", "0x20000000000000", "0b_", "._", "<<", "="])("refuses %s", (text) => {
    expect(() => readPlainScalar(text)).toThrow();
  });
});

describe("readTaggedScalar", () => {
  it.each<[string, string, ScalarValue]>([
    ["str", "1", "1"],
    ["null", "x", null],
    ["bool", "YeS", true],
    ["int", "1_0", 10],
    ["float", "3", float(3)],
  ])("!!%s %s", (tag, text, expected) => {
    expect(readTaggedScalar(tag, text)).toEqual(expected);
  });

  it.each([
    ["bool", "maybe"],
    ["int", "x"],
    ["int", ""],
    ["float", "1e"],
  ])("refuses !!%s %j", (tag, text) => {
    expect(() => readTaggedScalar(tag, text)).toThrow(/is not a/);
  });
});
