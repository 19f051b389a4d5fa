import { MillraceError } from "../errors/errors.ts";
import { checkFileName } from "../run-folder/shard/shard-file-names.ts";
import { describeKind } from "../values/state-json.ts";
import { LineWriter } from "./line-writer.ts";

/** One plain line per record, as in Kaldi's `text` and `utt2spk`. With checkpoints; merged line by line. */
export function textWriter(shardDir: string, name: string): LineWriter<string> {
  return new LineWriter(shardDir, checkFileName(name), checkLine);
}

function checkLine(line: string): string {
  if (typeof line === "string" && !/[\n\r\p{Surrogate}]/u.test(line)) return line;
  if (typeof line === "string" && /\p{Surrogate}/u.test(line))
    throw new MillraceError(
      "BAD_RECORD",
      `${describeKind(line)} holds half a character, which UTF-8 cannot represent.`,
      {
        hint: 'Cut texts between characters: [...text].slice(0, n).join("") instead of text.slice(0, n).',
      },
    );
  throw new MillraceError("BAD_RECORD", `A line of text was expected, not ${describeKind(line)}.`, {
    hint: "Write strings without line breaks: one record is one line.",
  });
}
