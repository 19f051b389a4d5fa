import { MillraceError } from "../../errors/errors.ts";
import { openFileSource } from "../file-source.ts";
import { type NdArray, ndArray } from "../nd-array.ts";
import { openSink } from "../open-sink.ts";
import { refuseFile } from "../refuse-file.ts";
import { encodeKaldiValue } from "./encode-ark-entry.ts";
import { readKaldiValue } from "./read-kaldi-value.ts";

/** Sums of each column, and of its squares, over `count` frames: what `globalCmvn` takes and `collectStats` makes. */
export interface KaldiCmvnStats {
  readonly sum: ArrayLike<number>;
  readonly sumSquare: ArrayLike<number>;
  readonly count: number;
}

/**
 * Statistics as the matrix of Kaldi's `compute-cmvn-stats`: two rows of float64, sums with the count behind them, squares
 * with a zero behind them. One for each speaker goes into an archive: `arkScpWriter`, `openArkWriter`.
 */
export function kaldiCmvnMatrix({ sum, sumSquare, count }: KaldiCmvnStats): NdArray<"float64"> {
  const columns = sum.length;
  const data = new Float64Array([...Array.from(sum), count, ...Array.from(sumSquare), 0]);
  if (columns > 0 && sumSquare.length === columns && count > 0 && data.every(Number.isFinite))
    return ndArray("float64", data, [2, columns + 1]);
  throw new MillraceError(
    "BAD_RECORD",
    `Statistics of ${count} frames, ${columns} sums and ${sumSquare.length} squares cannot be written.`,
    {
      hint: "Give as many sums as squares, of at least one frame, and only finite numbers.",
    },
  );
}

/** Writes statistics of a corpus into a file, as `compute-cmvn-stats` and `apply-cmvn` have them. */
export function writeKaldiCmvn(path: string, stats: KaldiCmvnStats, options: { readonly text?: boolean } = {}): void {
  const bytes = encodeKaldiValue(kaldiCmvnMatrix(stats), options);
  const file = openSink(path);
  try {
    file.write(bytes);
  } finally {
    file.close();
  }
}

/** Reads statistics that Kaldi or {@link writeKaldiCmvn} wrote. */
export function readKaldiCmvn(path: string): KaldiCmvnStats {
  const source = openFileSource(path);
  try {
    const { shape, data, dtype } = readKaldiValue(source, 0, { textKind: "matrix" });
    const columns = (shape[1] ?? 0) - 1;
    const isSound = shape.length === 2 && shape[0] === 2 && columns > 0 && dtype !== "int32";
    if (!isSound || !(data[columns]! > 0))
      throw refuseFile(path, 0, `statistics are two rows of sums and a count, not ${shape.join(" x ")}`);
    const row = (start: number) => Float64Array.from(data.subarray(start, start + columns));
    return { sum: row(0), sumSquare: row(columns + 1), count: data[columns]! };
  } finally {
    source.close();
  }
}
