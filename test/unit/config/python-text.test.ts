import { describe, expect, it } from "vitest";
import { Float, makeScalar, type ScalarValue } from "../../../src/config/config-node.ts";
import { pythonText } from "../../../src/config/python-text.ts";
import { readYamlText } from "../../../src/config/read-yaml.ts";

const print = (value: ScalarValue) => pythonText(makeScalar(value, { source: "test" }));

describe("pythonText", () => {
  it.each<[number, string]>([
    [1, "1.0"],
    [-0, "-0.0"],
    [0.1, "0.1"],
    [1e15, "1000000000000000.0"],
    [1e16, "1e+16"],
    [1.5e300, "1.5e+300"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [-1.25e-7, "-1.25e-07"],
    [Number.POSITIVE_INFINITY, "inf"],
    [Number.NEGATIVE_INFINITY, "-inf"],
    [Number.NaN, "nan"],
  ])("writes the float %d as Python does", (value, expected) => {
    expect(print(new Float(value))).toBe(expected);
  });

  it("writes other values as Python does", () => {
    expect([print(5), print(true), print(false), print(null), print("it's")]).toEqual([
      "5",
      "True",
      "False",
      "None",
      "it's",
    ]);
  });

  it("writes lists and sections as Python does", () => {
    const node = readYamlText(
      'a: [1, 1.0, x, "it\'s", \'say "hi"\', "it\'s \\"it\\"", "a\\n\\t\\x01é\\u2028", \'\\\']\nb: {}\n',
      "test",
    );
    expect(pythonText(node)).toBe(
      `{'a': [1, 1.0, 'x', "it's", 'say "hi"', 'it\\'s "it"', 'a\\n\\t\\x01é\\u2028', '\\\\'], 'b': {}}`,
    );
  });
});
