import type { NdArray } from "../formats/nd-array.ts";
import type { PtValue } from "../formats/pt/pt-value.ts";
import { readPt } from "../formats/pt/read-pt.ts";
import { badCheckpoint } from "./bad-checkpoint.ts";

/** The tensors of a checkpoint by their names. */
export interface StateDict {
  readonly file: string;
  readonly tensors: ReadonlyMap<string, NdArray>;
}

/** Reads the tensors of a checkpoint. `key` names the entry that holds them, if they are not the file itself. */
export function readStateDict(file: string, key?: string): StateDict {
  const content = readPt(file);
  const value = key === undefined ? content : content instanceof Map ? content.get(key) : undefined;
  if (!(value instanceof Map))
    throw badCheckpoint(
      file,
      key === undefined
        ? "it holds no dict of tensors"
        : `it holds no dict of tensors under the key ${JSON.stringify(key)}`,
      "A state_dict() was expected, as the toolkit saves it.",
    );
  const tensors = new Map<string, NdArray>();
  for (const [name, tensor] of value) {
    if (typeof name !== "string" || !isArray(tensor))
      throw badCheckpoint(
        file,
        `its entry ${JSON.stringify(String(name))} is no tensor`,
        "A state_dict() was expected, as the toolkit saves it.",
      );
    tensors.set(name, tensor);
  }
  return { file, tensors };
}

function isArray(value: PtValue): value is NdArray {
  return typeof value === "object" && value !== null && "dtype" in value && "shape" in value;
}
