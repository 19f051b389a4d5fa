import { describe, expect, it } from "vitest";
import { describeCodeChange } from "../../../src/code/compare-code.ts";

describe("the description of changed code", () => {
  it("shows names and versions of a manifest without the commands for a terminal in them", () => {
    const command = "\u001b]0;title\u0007";
    const lines = describeCodeChange({
      files: [{ name: `a${command}.js`, what: "changed" }],
      packages: [{ name: "millrace", before: command, after: "1.0.0" }],
      isOfClass: true,
    });
    expect(lines).toEqual(["a\\u001b]0;title\\u0007.js: changed", "package millrace: \\u001b]0;title\\u0007 -> 1.0.0"]);
  });
});
