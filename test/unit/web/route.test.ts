import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRoute, runAddress, runViews } from "../../../web/dashboard/route.ts";

describe("parseRoute", () => {
  it("reads what runAddress makes, whatever is in the names", () => {
    const name = fc.string({ unit: "grapheme", minLength: 1 });
    fc.assert(
      fc.property(name, fc.constantFrom(...runViews), fc.option(name, { nil: undefined }), (id, view, detail) => {
        expect(parseRoute(runAddress(id, view, detail))).toEqual({ page: "run", id, view, detail });
      }),
    );
  });

  it.each(["", "#", "#/", "#/run", "#/run/", "#/elsewhere/x", "#/run/%zz"])("takes %j for the list of runs", (hash) => {
    expect(parseRoute(hash)).toEqual({ page: "runs" });
  });

  it("shows the overview where the part is not known", () => {
    expect(parseRoute("#/run/a/nothing")).toMatchObject({ id: "a", view: "overview" });
  });
});
