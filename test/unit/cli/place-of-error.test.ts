import { describe, expect, it } from "vitest";
import { placeOfError } from "../../../src/cli/place-of-error.ts";
import { MillraceError } from "../../../src/errors/errors.ts";

function failedWith(stack: string): MillraceError {
  const cause = Object.assign(new TypeError("no"), { stack });
  return new MillraceError("ITEM_FAILED", "forward failed", { cause, hint: "Fix it." });
}

describe("the place of an error in the user's code", () => {
  it("is the first line of the stack that is not of a package or of Node.js", () => {
    const stack = [
      "TypeError: no",
      "    at read (node:fs:12:3)",
      "    at parse (/home/me/node_modules/other/parse.js:1:1)",
      "    at async PrepRunner.forward (file:///home/me/my%20corpus/prep.js:22:19)",
      "    at later (file:///home/me/my%20corpus/main.js:1:1)",
    ].join("\n");
    expect(placeOfError(failedWith(stack), "/home/me/my corpus")).toBe("prep.js:22:19");
    expect(placeOfError(failedWith(stack), "/srv")).toBe("/home/me/my corpus/prep.js:22:19");
  });

  it("is not known where no code of the user took part", () => {
    expect(placeOfError(new MillraceError("BAD_USAGE", "no", { hint: "Fix it." }))).toBeUndefined();
    expect(
      placeOfError(failedWith("TypeError: no\n    at compile (node:internal/modules/esm/utils:346:16)")),
    ).toBeUndefined();
    expect(placeOfError("broken")).toBeUndefined();
  });
});
