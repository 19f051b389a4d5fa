import { encodePt } from "../formats/pt/encode-pt.ts";
import type { PtInput } from "../formats/pt/pt-value.ts";
import { type ListedFilesOptions, ListedFilesWriter } from "./listed-files-writer.ts";

/** A tensor, or plain values and containers with tensors in them, and the id it is found by. */
export interface PtRecord {
  readonly id: string;
  readonly value: PtInput;
}

export type PtWriterOptions = ListedFilesOptions;
export type PtWriter = ListedFilesWriter<PtRecord>;

const form = { suffix: ".pt", encode: ({ value }: PtRecord): Uint8Array => encodePt(value) };

/**
 * One .pt file a record under a safe name, for `torch.load`, and `name.scp` with the ids. With checkpoints; `mergeScp` makes
 * one list of all shards.
 */
export function ptWriter(shardDir: string, options: PtWriterOptions): PtWriter {
  return new ListedFilesWriter(shardDir, options, form);
}
