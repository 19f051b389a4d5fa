import { encodePt } from "../formats/pt/encode-pt.ts";
import type { PtInput } from "../formats/pt/pt-value.ts";
import { type ArrayFilesOptions, type ArrayFilesWriter, filesScpWriter } from "./array-files-writer.ts";

/**
 * One `.pt` file per record, which `torch.load` opens, and `name.scp` with the ids. A record is one tensor, or plain
 * values and containers with tensors in them. With checkpoints; `mergeScp` makes one list of all shards.
 */
export function ptScpWriter(shardDir: string, options: ArrayFilesOptions): ArrayFilesWriter<PtInput> {
  return filesScpWriter(shardDir, options, { suffix: ".pt", encode: encodePt });
}
