import { describe, expect, it } from "vitest";
import { EnvironmentProvider } from "../../../../src/contract/environment-provider.ts";
import { classTexts } from "../../../../src/contract/provider-fields/class-texts.ts";

class Base {
  readonly config: unknown;
  constructor(config: unknown) {
    this.config = config;
  }
}

/** An object of a class whose text is given, as the driver would have it. */
function objectOf(body: string): object {
  const made = new Function("Base", `return class Provider extends Base { ${body} }`)(Base) as { prototype: object };
  return Object.create(made.prototype) as object;
}

describe("the texts of a provider's classes", () => {
  it("show whether there is a constructor besides that of the base class", () => {
    expect(classTexts(objectOf("")).hasConstructor).toBe(false);
    expect(classTexts(objectOf("constructor(a) { super(a); }")).hasConstructor).toBe(true);
  });

  it("show which private fields there are and which are assigned", () => {
    const texts = classTexts(objectOf('#a = 1; #b; colour = "#fff"; set(b) { this.#b = b; this.#a ??= 2; }'));
    expect(texts.privateNames).toEqual(["#a", "#b"]);
    expect(["#a", "#b"].filter(texts.assigns)).toEqual(["#b"]);
  });

  it.each([
    ["esbuild", "constructor(a) { super(a); __privateAdd(this, _a); __privateSet(this, _a, a); }", "_a"],
    [
      "TypeScript",
      'constructor(a) { super(a); _P_a.set(this, void 0); __classPrivateFieldSet(this, _P_a, a, "f"); }',
      "_P_a",
    ],
    [
      "Babel",
      "constructor(a) { super(a); _classPrivateFieldInitSpec(this, _a, void 0); _classPrivateFieldSet2(_a, this, a); }",
      "_a",
    ],
  ])("show which private fields are assigned where %s has lowered them", (_compiler, body, name) => {
    expect(classTexts(objectOf(body)).loweredNames).toEqual([name]);
  });

  it("show whether a function is the same in every object of the class", () => {
    class Cleaning extends EnvironmentProvider<object> {
      readonly clean = (text: string) => text.trim();
      readonly more: (text: string) => string;
      constructor(config: string) {
        super(config);
        this.more = (text) => text + config;
        this.buildEnvLocal = this.buildEnvLocal.bind(this);
      }
      override buildEnvLocal() {
        return {};
      }
    }
    const provider = new Cleaning("a");
    const { textOf } = classTexts(provider);
    expect(textOf(provider.clean)).toBe(String(provider.clean));
    expect(textOf(provider.buildEnvLocal)).toBe("bound buildEnvLocal");
    expect(textOf(provider.more)).toBeUndefined();
    expect(textOf((text: string) => text.trimEnd())).toBeUndefined();
  });
});
