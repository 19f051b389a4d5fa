import { describe, expect, it } from "vitest";
import { refuseLoadingInForward } from "../../../src/models/refuse-loading-in-forward.ts";

const stackOf = (...frames: string[]) => ["Error", ...frames.map((frame) => `    at ${frame}`)].join("\n");

describe("a model that is loaded", () => {
  it("in a provider may be loaded as often as it likes", () => {
    const stack = stackOf("loadOnnx (file:///a.js:1:1)", "PrepProvider.buildModel (file:///p.js:9:9)");
    for (let n = 0; n < 10; n++) expect(() => refuseLoadingInForward("m.onnx", stack)).not.toThrow();
  });

  it.each([
    "Function.forward (file:///one.js:5:3)",
    "PrepRunner.forward (file:///two.js:5:3)",
    "async PrepRunner.forward (file:///three.js:5:3)",
    "forward (file:///four.js:5:3)",
  ])("in forward is refused at the third time, with its place: %s", (frame) => {
    const stack = stackOf("loadOnnx (file:///a.js:1:1)", frame, "runWhileSync (file:///b.js:1:1)");
    refuseLoadingInForward("m.onnx", stack);
    refuseLoadingInForward("m.onnx", stack);
    expect(() => refuseLoadingInForward("m.onnx", stack)).toThrow(
      `forward (${/\((.*)\)/.exec(frame)![1]}) loads m.onnx again: it has done so 2 times.`,
    );
  });

  it("in forward is no matter while it is another one each time", () => {
    const stack = stackOf("PrepRunner.forward (file:///five.js:5:3)");
    for (let n = 0; n < 10; n++) expect(() => refuseLoadingInForward(`m${n}.onnx`, stack)).not.toThrow();
  });
});
