import { describe, expect, it } from "vitest";
import { shape } from "../../../src/config/shape.ts";
import { type OwnOptions, splitOptions } from "../../../src/runner/own-options.ts";

interface Own {
  readonly inputKey: string;
  readonly beam?: number;
  readonly kwargs?: Readonly<Record<string, unknown>>;
  readonly tag?: string;
}

const declared: OwnOptions<Own> = {
  inputKey: { shape: shape.string() },
  beam: { shape: shape.int({ min: 1 }), default: 4 },
  kwargs: { shape: shape.map(shape.any()), default: {} },
  tag: { shape: shape.optional(shape.string()) },
};

class Decoder {
  static readonly ownOptions = declared as OwnOptions;
}

describe("the options that a runner adds", () => {
  it("are taken apart from those of every runner, with their defaults", () => {
    expect(splitOptions(Decoder, { batchSize: 2, inputKey: "speech" })).toEqual({
      common: { batchSize: 2 },
      own: { inputKey: "speech", beam: 4, kwargs: {} },
    });
  });

  it("leave what is not declared to the check of the others", () => {
    expect(splitOptions(Decoder, { inputKey: "a", beams: 1 }).common).toEqual({ beams: 1 });
    expect(splitOptions({ name: "Plain" }, { inputKey: "a" })).toEqual({ common: { inputKey: "a" }, own: {} });
  });

  it("are a copy, which a later change of what was given does not reach", () => {
    const kwargs = { lengths: new Float32Array([1]), deep: { a: Number.NaN } };
    const { own } = splitOptions(Decoder, { inputKey: "a", kwargs });
    kwargs.deep.a = 1;
    expect(own["kwargs"]).toEqual({ lengths: new Float32Array([1]), deep: { a: Number.NaN } });
  });

  it.each<[string, object]>([
    ["Decoder needs the option inputKey: a text.", {}],
    ["Option beam of Decoder is 0; a whole number from 1 was expected.", { inputKey: "a", beam: 0 }],
    ["Option inputKey of Decoder is null; a text was expected.", { inputKey: null }],
    ["Option inputKey of Decoder is the function pick: workers get options as data.", { inputKey: function pick() {} }],
    [
      "Option kwargs.model of Decoder is a WeakMap: workers get options as data.",
      { inputKey: "a", kwargs: { model: new WeakMap() } },
    ],
  ])("refuse: %s", (message, options) => {
    expect(() => splitOptions(Decoder, options)).toThrow(message);
  });

  it("refuse a name that every runner has", () => {
    const ownOptions = { retries: { shape: shape.int() } };
    expect(() => splitOptions({ name: "Decoder", ownOptions }, {})).toThrow(
      "Decoder.ownOptions declares retries, which every runner has.",
    );
  });
});
