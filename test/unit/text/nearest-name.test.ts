import { describe, expect, it } from "vitest";
import { nearestName } from "../../../src/text/nearest-name.ts";

const keys = ["dataset", "model", "outputDir", "cleaner"];

describe("nearestName", () => {
  it.each([
    ["modle", "model"],
    ["mode", "model"],
    ["models", "model"],
    ["Model", "model"],
    ["datset", "dataset"],
    ["data_set", "dataset"],
    ["outputdir", "outputDir"],
    ["clenaer", "cleaner"],
  ])("takes %s for %s", (wrong, known) => {
    expect(nearestName(wrong, keys)).toBe(known);
  });

  it.each(["tokenizer", "clipper", "mdl", "set", "x", ""])("finds nothing near %j", (wrong) => {
    expect(nearestName(wrong, keys)).toBeUndefined();
  });

  it("chooses the nearest of several", () => {
    expect(nearestName("outputsDri", ["outputs", "outputDir", "outputsDir"])).toBe("outputsDir");
  });

  it("finds nothing among no names", () => {
    expect(nearestName("model", [])).toBeUndefined();
  });

  it("finds nothing near a name that shares no letter", () => {
    expect(nearestName("x", ["y"])).toBeUndefined();
  });
});
