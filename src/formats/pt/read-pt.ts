import { withFileSource } from "../file-source.ts";
import type { ZipOptions } from "../zip/open-zip.ts";
import { decodePt } from "./decode-pt.ts";
import type { PtValue } from "./pt-value.ts";

/** The content of a .pt file on disk; each storage is read separately. */
export function readPt(path: string, options: ZipOptions = {}): PtValue {
  return withFileSource(path, (source) => decodePt(source, options));
}
