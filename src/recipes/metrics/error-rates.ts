import { join } from "node:path";
import { checkShape, MillraceError, type Shape, shape } from "../../index.ts";
import { formatScore } from "../inference/format-score.ts";
import type { TextNormalisation } from "../inference/normalise-text.ts";
import { score } from "../inference/score.ts";
import type { Score } from "../inference/score-result.ts";
import { maybe } from "../maybe.ts";
import { putFile } from "../put-file.ts";
import { BaseMetric } from "./base-metric.ts";

/** The options of {@link WER} and {@link CER}, with ESPnet3's names and those of `score` in snake_case. */
export interface ErrorRateOptions {
  /** Default: `ref`. */
  readonly ref_key?: string | null | undefined;
  /** Default: `hyp`. */
  readonly hyp_key?: string | null | undefined;
  /** ESPnet's text cleaners, which are not here: only `null` is accepted. */
  readonly clean_types?: null | undefined;
  readonly ignore_case?: boolean | null | undefined;
  readonly remove_punctuation?: boolean | null | undefined;
  readonly unicode?: TextNormalisation["unicode"] | null | undefined;
}

const optionShape = shape.object({
  ref_key: maybe(shape.string()),
  hyp_key: maybe(shape.string()),
  clean_types: shape.optional(shape.any()),
  ignore_case: maybe(shape.boolean()),
  remove_punctuation: maybe(shape.boolean()),
  unicode: maybe(shape.oneOf(["NFC", "NFD", "NFKC", "NFKD"])),
}) as Shape<ErrorRateOptions>;

/** An error rate in percent with two digits, and the alignments of the worst utterances in a file of the test set. */
abstract class ErrorRate extends BaseMetric {
  override readonly refKey: string;
  override readonly hypKey: string;
  private readonly normalisation: TextNormalisation;

  constructor(options: ErrorRateOptions = {}) {
    super();
    const checked = checkShape(options, optionShape);
    if (checked.clean_types != null)
      throw new MillraceError(
        "BAD_OPTION",
        `clean_types: ${JSON.stringify(checked.clean_types)} is one of ESPnet's text cleaners.`,
        {
          hint: "They are not here: use ignore_case, remove_punctuation and unicode, or clean the texts in output_fn.",
        },
      );
    this.refKey = checked.ref_key ?? "ref";
    this.hypKey = checked.hyp_key ?? "hyp";
    const { ignore_case, remove_punctuation, unicode } = checked;
    this.normalisation = {
      ...(ignore_case == null ? {} : { ignoreCase: ignore_case }),
      ...(remove_punctuation == null ? {} : { removePunctuation: remove_punctuation }),
      ...(unicode == null ? {} : { unicode }),
    };
  }

  compute(data: Readonly<Record<string, string>>, testName: string, inferenceDir: string): Record<string, number> {
    const [ref, hyp] = [data[this.refKey], data[this.hypKey]];
    if (ref === undefined || hyp === undefined)
      throw new MillraceError(
        "BAD_OPTION",
        `${this.constructor.name} has no input ${ref === undefined ? this.refKey : this.hypKey}.`,
        {
          hint: "Name it under inputs of the metric, or as its ref_key and hyp_key.",
        },
      );
    const found = score({ ref, hyp }, this.normalisation);
    if (found.utterances === 0)
      throw new MillraceError("BAD_RECORD", `${ref} has no texts: there is no error rate of them.`, {
        hint: "Look at the inference run of this test set.",
      });
    const { name, rate, file } = this.pick(found);
    putFile(join(inferenceDir, testName, file), formatScore(found));
    return { [name]: Math.round(rate * 10_000) / 100 };
  }

  protected abstract pick(found: Score): { readonly name: string; readonly rate: number; readonly file: string };
}

/** The word error rate of a test set in percent: `{ WER: 3.14 }`, and `wer_alignment` beside its lists. */
export class WER extends ErrorRate {
  protected pick({ words }: Score): { readonly name: string; readonly rate: number; readonly file: string } {
    return { name: "WER", rate: words.rate, file: "wer_alignment" };
  }
}

/** The character error rate of a test set in percent: `{ CER: 3.14 }`, and `cer_alignment` beside its lists. */
export class CER extends ErrorRate {
  protected pick({ characters }: Score): { readonly name: string; readonly rate: number; readonly file: string } {
    return { name: "CER", rate: characters.rate, file: "cer_alignment" };
  }
}
