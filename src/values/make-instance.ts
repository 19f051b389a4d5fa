import { MillraceError } from "../errors/errors.ts";
import { describeKind, toPlainValues } from "./state-json.ts";
import { jsonOf, type SerializableClass } from "./value-marks.ts";

/** Creates an instance from what its `toJSON` returned, and checks that it is equal. */
export function makeInstance(found: SerializableClass, json: unknown): unknown {
  const made = found.from(json);
  const isOne = typeof made === "object" && made !== null && made.constructor === (found as unknown);
  if (isOne && textOf(jsonOf(made)) === textOf(json)) return made;
  throw new MillraceError("BAD_PROVIDER", `is a ${found.name}, which its static from(json) does not make again`, {
    hint: `${found.name}.from(x.toJSON()) must give a ${found.name} with the same toJSON(); it gave ${describeKind(made)}.`,
  });
}

function textOf(json: unknown): string | undefined {
  return JSON.stringify(toPlainValues(json, "", (value) => `[${describeKind(value)}]`));
}
