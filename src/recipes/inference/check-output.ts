import { MillraceError } from "../../index.ts";
import { describeValue } from "./describe-value.ts";
import { type CheckedInferenceOptions, checkOutputKey, listOf } from "./inference-options.ts";
import { checkScpId } from "./output-line.ts";

export interface CheckedOutput {
  readonly id: string;
  /** The values to write, by key. */
  readonly values: ReadonlyMap<string, unknown>;
}

/** Checks the output of one item before any of it is written. */
export function checkOutput(output: unknown, options: CheckedInferenceOptions): CheckedOutput {
  const { idxKey, hypKey, refKey, outputKeys } = options;
  if (typeof output !== "object" || output === null || Array.isArray(output) || ArrayBuffer.isView(output)) {
    throw new MillraceError(
      "BAD_RECORD",
      `The output of an item is ${describeValue(output)}; an object was expected.`,
      {
        hint: `Return { ${idxKey}: …, hyp: … } from the model, or make that of what it returns with outputFn.`,
      },
    );
  }
  const entries = output as Readonly<Record<string, unknown>>;
  const chosen = outputKeys === undefined ? undefined : listOf(outputKeys);
  const needed = [idxKey, ...listOf(hypKey), ...listOf(refKey), ...(chosen ?? [])];
  const missing = [...new Set(needed)].filter((key) => entries[key] === undefined);
  if (missing.length > 0) {
    const names = missing.map((key) => `"${key}"`).join(", ");
    throw new MillraceError("BAD_RECORD", `The output of an item has no ${names}.`, {
      hint: `It has ${Object.keys(entries).join(", ") || "no keys"}. Return what is missing, or name other keys with idxKey, hypKey, refKey and outputKeys (hypKey: [] asks for none).`,
    });
  }
  const id = checkScpId(idxKey, entries[idxKey]);
  const written = chosen ?? Object.keys(entries).filter((key) => key !== idxKey && entries[key] !== undefined);
  if (written.length === 0) {
    throw new MillraceError("BAD_RECORD", `The output of ${id} has nothing but its id.`, {
      hint: "Return what is to be written under keys of its own, such as hyp; or null to drop the item.",
    });
  }
  return { id, values: new Map(written.map((key) => [checkOutputKey(key), entries[key]])) };
}
