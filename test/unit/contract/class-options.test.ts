import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { shape } from "../../../src/config/shape.ts";
import { type OwnOptions, splitOptions } from "../../../src/contract/class-options.ts";

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

describe("an option with a schema of another library", () => {
  const ownOptions = {
    beam: { shape: z.coerce.number().int().min(1).default(8) },
    language: { shape: v.picklist(["de", "en"]) },
    tag: { shape: v.optional(v.string()) },
    search: { shape: z.object({ width: z.number(), names: z.array(z.string()).default([]) }), default: { width: 2 } },
  } as OwnOptions;
  const split = (options: object) => splitOptions({ name: "Decoder", ownOptions }, options);

  it("is what the schema gives, also for a worker that checks it again", () => {
    const { own } = split({ language: "de", beam: "4" });
    expect(own).toEqual({ beam: 4, language: "de", search: { width: 2, names: [] } });
    expect(split(own).own).toEqual(own);
    expect(split({ language: "en" }).own["beam"]).toBe(8);
  });

  it.each<[message: RegExp, options: object]>([
    [/^Decoder needs the option language: what the valibot schema takes\./, {}],
    [/^Option language of Decoder is not valid: Invalid type: .*"fr"/, { language: "fr" }],
    [/^Option search\.width of Decoder is not valid: Invalid input: expected number/, { language: "de", search: {} }],
    [/^Option search of Decoder is the function pick: workers/, { language: "de", search: function pick() {} }],
  ])("is refused as others are: %s", (message, options) => {
    expect(() => split(options)).toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
    expect(() => split(options)).toThrow(message);
  });

  it.each([
    ["changes what it gave", z.number().transform((n) => n + 1), 1],
    ["refuses what it gave", z.string().transform(Number), "1"],
  ])("is an error of the class where the schema %s", (_what, shape, n) => {
    const declare = () => splitOptions({ name: "Decoder", ownOptions: { n: { shape } } }, { n });
    expect(declare).toThrow(expect.objectContaining({ code: "BAD_RUNNER" }));
    expect(declare).toThrow("The schema of option n of Decoder does not take its own result.");
  });

  it("is refused where the schema gives something that is no data, or checks asynchronously", () => {
    const give = (shape: z.ZodType) => () =>
      splitOptions({ name: "Decoder", ownOptions: { n: { shape } } }, { n: "a" });
    expect(give(z.string().transform(() => new WeakMap()))).toThrow(/Option n of Decoder is a WeakMap/);
    expect(give(z.string().refine(async () => true))).toThrow(/A schema of zod checks asynchronously/);
  });
});
