import { type Shape, shape } from "../../../index.ts";
import { maybe } from "../../maybe.ts";

/** The folder to share: a table, the audio if it is written, and a card. Not made without this section. */
export interface DatasetSection {
  /** `parquet` (default) contains the audio; with `jsonl` it is in separate files. */
  readonly format?: "parquet" | "jsonl" | null | undefined;
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  /** The Hub's name of the license: `cc-by-4.0`. */
  readonly license?: string | null | undefined;
  /** ISO 639 codes. */
  readonly language?: readonly string[] | null | undefined;
  /** The name of the split. Default: `train`. */
  readonly split?: string | null | undefined;
}

export const datasetSection: Shape<DatasetSection> = shape.object({
  format: maybe(shape.oneOf(["parquet", "jsonl"])),
  title: maybe(shape.string()),
  description: maybe(shape.string()),
  license: maybe(shape.string()),
  language: maybe(shape.list(shape.string())),
  split: maybe(shape.string({ pattern: /^\w+$/, expected: "a name of letters, digits and _" })),
});
