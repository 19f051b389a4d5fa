// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";
import { mergeConfigs } from "../../../src/config/merge-configs.ts";
import { resolveExpression } from "../../../src/config/resolve-expression.ts";
import { registerResolver, removeResolver } from "../../../src/config/resolvers.ts";
import { MillraceError, messageOf } from "../../../src/errors/errors.ts";
import { copyOrigins, expressionFor } from "../../../src/secrets/origins.ts";
import { maskSecrets } from "../../../src/secrets/secret-values.ts";

const folder = mkdtempSync(join(tmpdir(), "millrace-test-"));
const variables = {
  T_PLACE: "/data/here",
  T_TOKEN: "hf_unit-test/token",
  T_PIN: "1234",
  T_LIST: "[1, {a: 2}]",
  T_NUMBER: "12",
  T_ODD: "a\\${x}$",
};
beforeAll(() => Object.assign(process.env, variables));
afterAll(() => {
  for (const name of Object.keys(variables)) delete process.env[name];
  rmSync(folder, { recursive: true });
});

async function load(text: string, env?: Record<string, string>): Promise<Record<string, unknown>> {
  const path = join(folder, "c.yaml");
  writeFileSync(path, text);
  return loadConfig(path, [], env === undefined ? {} : { env });
}

/** The expression of a key, after it was made sure that it gives the value again. */
function expressionOf(config: object, key: string): string | undefined {
  const value = (config as Record<string, unknown>)[key];
  const expression = expressionFor(config, key, value);
  if (expression !== undefined) expect(resolveExpression(expression, key).value).toEqual(value);
  return expression;
}

describe("a value of a config that was made from the environment", () => {
  it.each([
    ["a: ${oc.env:T_PLACE}", "${oc.env:T_PLACE}"],
    ["a: ${oc.env:T_PLACE,/tmp}", "${oc.env:T_PLACE}"],
    ["a: ${secret:T_TOKEN}", "${secret:T_TOKEN}"],
    ["a: https://me:${oc.env:T_TOKEN}@host", "https://me:${oc.env:T_TOKEN}@host"],
    ["a: ${b}/x\nb: ${c}\nc: ${oc.env:T_PLACE}/y", "${oc.env:T_PLACE}/y/x"],
    ["a: ${oc.select:b}\nb: ${oc.env:T_PLACE}", "${oc.env:T_PLACE}"],
    ["a: ${oc.env:T_NOT_THERE,${oc.env:T_PLACE}}", "${oc.env:T_PLACE}"],
    ["a: ${oc.decode:${oc.env:T_NUMBER}}", "${oc.decode:${oc.env:T_NUMBER}}"],
    ["a: n${oc.decode:${oc.env:T_NUMBER}}", "n${oc.decode:${oc.env:T_NUMBER}}"],
    ["a: ${oc.decode:'[${oc.env:T_NUMBER}]'}", '${oc.decode:"[${oc.env:T_NUMBER}]"}'],
    ["a: ${oc.decode:${oc.env:T_LIST}}", "${oc.decode:${oc.env:T_LIST}}"],
    ["a: ${oc.create:${oc.env:T_LIST}}", "${oc.create:${oc.env:T_LIST}}"],
    ["a: ${oc.env:T_ODD}", "${oc.env:T_ODD}"],
  ])("keeps its expression: %s", async (text, expression) => {
    expect(expressionOf(await load(text), "a")).toBe(expression);
  });

  it.each([
    "a: plain",
    "a: ${b}\nb: 1",
    "a: ${oc.env:T_NOT_THERE,x}",
    "a: ${now:%Y}",
    "a: ${b.${oc.env:T_PIN}}\nb: {'1234': x}",
  ])("has none where no variable is in it: %s", async (text) => {
    expect(expressionOf(await load(text), "a")).toBeUndefined();
  });

  it("keeps it in lists, in sections that are copied, and in configs that are merged", async () => {
    const config = await load("a: [x, '${oc.env:T_PLACE}']\nb: {c: '${oc.env:T_PLACE}/z'}\nd: ${b}\n");
    expect(expressionFor(config["a"] as object, 1, variables.T_PLACE)).toBe("${oc.env:T_PLACE}");
    expect(expressionFor(config["d"] as object, "c", "/data/here/z")).toBe("${oc.env:T_PLACE}/z");
    const merged = mergeConfigs<Record<string, object>>(config, { b: { other: 1 } });
    expect(expressionOf(merged["b"]!, "c")).toBe("${oc.env:T_PLACE}/z");
  });

  it("is recognised under its own key where code has copied it, and nowhere else", async () => {
    const config = await load("data_root: ${oc.env:T_PLACE}/own\n");
    const copy = { dataRoot: config["data_root"], other: config["data_root"] };
    expect(expressionFor(copy, "dataRoot", copy.dataRoot)).toBe("${oc.env:T_PLACE}/own");
    expect(expressionFor(copy, "other", copy.other)).toBeUndefined();
    const renamed = { place: config["data_root"] };
    copyOrigins(config, renamed, () => "place");
    expect(expressionOf(renamed, "place")).toBe("${oc.env:T_PLACE}/own");
  });

  it("is recognised anywhere where it is a secret, also within a text", async () => {
    await load("hub: {token: '${oc.env:T_TOKEN}'}\n");
    const copy = { header: `Bearer ${variables.T_TOKEN}`, odd: `\\\${x}\\${variables.T_TOKEN}` };
    expect(expressionOf(copy, "header")).toBe("Bearer ${oc.env:T_TOKEN}");
    expect(expressionOf(copy, "odd")).toBeDefined();
  });

  it("has none where workers would not find the variable, or a resolver of the user's took part", async () => {
    const elsewhere = await load("a: ${oc.env:T_PLACE}\n", { T_PLACE: "/only/here" });
    expect(elsewhere["a"]).toBe("/only/here");
    expect(expressionOf(elsewhere, "a")).toBeUndefined();
    registerResolver("t.upper", (text: string) => text.toUpperCase());
    const upper = await load("a: ${t.upper:${oc.env:T_TOKEN}}\n");
    removeResolver("t.upper");
    expect(expressionOf(upper, "a")).toBeUndefined();
    expect(maskSecrets(`it is ${String(upper["a"])}`)).toBe("it is ***");
  });

  it("leaves a target as it is: it is compared with the code", async () => {
    process.env["T_CLASS"] = "./a.js#A";
    const config = await load("m: {_target_: '${oc.env:T_CLASS}'}\n");
    delete process.env["T_CLASS"];
    expect(expressionFor(config["m"] as object, "_target_", "./a.js#A")).toBeUndefined();
  });

  it("comes back from any text around it", async () => {
    const piece = fc.string({ unit: fc.constantFrom("\\", "$", "{", "}", "'", '"', "a", ":", ",", " "), maxLength: 8 });
    await load("hub: {token: '${oc.env:T_TOKEN}'}\n");
    fc.assert(
      fc.property(piece, piece, piece, (before, between, after) => {
        const text = `${before}${variables.T_TOKEN}${between}${variables.T_TOKEN}${after}`;
        const expression = expressionFor({}, "x", text);
        return resolveExpression(expression!, "x").value === text;
      }),
    );
  });
});

describe("secrets in messages", () => {
  it("are masked in errors of millrace and in the text of others, also as part of an address", async () => {
    await load("a: ${secret:T_TOKEN}\npin: ${oc.env:T_PIN}\n");
    const { message, reason, hint } = new MillraceError("BAD_OPTION", `no ${variables.T_TOKEN}`, {
      hint: `use ${variables.T_TOKEN}`,
    });
    expect([message.includes(variables.T_TOKEN), reason, hint]).toEqual([false, "no ***", "use ***"]);
    expect(messageOf(new Error(`GET /x?t=${encodeURIComponent(variables.T_TOKEN)}`))).toBe("GET /x?t=***");
    // Short ones are words.
    expect(maskSecrets("item 1234")).toBe("item 1234");
  });
});
