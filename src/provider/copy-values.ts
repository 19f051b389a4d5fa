import { fromPlainValues, toPlainValues } from "../shared/state-json.ts";

/** Copies of config and params for a constructor, which may change what it gets; the same objects where they are no data. */
export function copyValues(values: readonly [config: unknown, params: unknown]): [config: unknown, params: unknown] {
  try {
    const refuse = (): never => {
      throw new Error("not data");
    };
    return fromPlainValues(toPlainValues(values, "", refuse), refuse) as [unknown, unknown];
  } catch {
    return [...values];
  }
}
