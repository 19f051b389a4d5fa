import { MillraceError } from "../errors/errors.ts";

/** What can always be done with a model that is not converted here. */
const exportHint =
  "Export it to ONNX once, where PyTorch is, and name that file in pretrained_model: docs/xvectors.md shows how.";

/** Explains what of a checkpoint cannot be converted. */
export function badCheckpoint(file: string, problem: string, hint: string = exportHint): MillraceError {
  return new MillraceError("BAD_MODEL", `${file}: ${problem}.`, { hint });
}
