import { MillraceError } from "../errors/errors.ts";
import { describeKind, isPlainObject } from "../values/state-json.ts";

/** Checks the arguments of `loadConfig` for callers without type checking. */
export function checkLoadArguments(path: unknown, overrides: unknown, options: unknown): void {
  if (typeof path !== "string" || path === "") {
    throw bad(
      `the path of a config, and got ${describeKind(path)}`,
      path instanceof URL
        ? "Hand it fileURLToPath(url), of node:url."
        : 'Pass the path of a file: loadConfig("prep.yaml").',
    );
  }
  if (!Array.isArray(overrides)) {
    const one = typeof overrides === "string" ? `[${JSON.stringify(overrides)}]` : '["model.bins=40"]';
    throw bad(
      `a list of overrides as its second argument, and got ${describeKind(overrides)}`,
      `Write loadConfig(${JSON.stringify(path)}, ${one}).`,
    );
  }
  const wrong = overrides.findIndex((override) => typeof override !== "string");
  if (wrong !== -1) {
    throw bad(
      `overrides that are texts, and override ${wrong + 1} is ${describeKind(overrides[wrong])}`,
      'Each is written as on the command line: "model.bins=40", "+note=\'a trial\'".',
    );
  }
  if (!isPlainObject(options)) {
    throw bad(
      `options as its third argument, and got ${describeKind(options)}`,
      "Pass an object with allowMissing, lazy, template, now or env, or leave it out.",
    );
  }
  const { now = new Date(), template = null } = options;
  if (template !== null && (typeof template !== "string" || template === "")) {
    throw bad(
      `the path of a config as its option template, and got ${describeKind(template)}`,
      "Pass null for none, or leave it out.",
    );
  }
  if (!(now instanceof Date) || Number.isNaN(now.getTime())) {
    throw bad(
      `a date as its option now, and got ${now instanceof Date ? "an invalid one" : describeKind(now)}`,
      "Pass new Date(…), or leave it out for the present.",
    );
  }
}

function bad(what: string, hint: string): MillraceError {
  return new MillraceError("BAD_OPTION", `loadConfig takes ${what}.`, { hint });
}
