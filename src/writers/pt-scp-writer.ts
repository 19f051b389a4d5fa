import { encodePt } from "../formats/pt/encode-pt.ts";
import { type ArrayFilesOptions, ArrayFilesWriter } from "./array-files-writer.ts";

/** The same with one tensor a `.pt` file, which `torch.load` opens. */
export function ptScpWriter(shardDir: string, options: ArrayFilesOptions): ArrayFilesWriter {
  return new ArrayFilesWriter(shardDir, options, { suffix: ".pt", encode: encodePt });
}
