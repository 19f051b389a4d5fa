import { fromPlainValues, toPlainValues } from "../../values/state-json.ts";
import { keyOf, referenceOf, tag } from "../../values/value-marks.ts";

/**
 * Copies config and params for a constructor, which may change its arguments. Returns the same objects if they are not
 * data.
 */
export function copyValues(values: readonly [config: unknown, params: unknown]): [config: unknown, params: unknown] {
  const functions = new Map<string, unknown>();
  const noteFunction = (value: unknown) => {
    const reference = typeof value === "function" ? referenceOf(value) : undefined;
    if (reference === undefined) return refuse();
    functions.set(keyOf(reference), value);
    return { [tag]: "function", ...reference };
  };
  const refuse = (): never => {
    throw new Error("not data");
  };
  try {
    const onFunction = (reference: Parameters<typeof keyOf>[0]) => functions.get(keyOf(reference));
    const plain = toPlainValues(values, "", noteFunction);
    return fromPlainValues(plain, { onInstance: refuse, onFunction }) as [unknown, unknown];
  } catch {
    return [...values];
  }
}
