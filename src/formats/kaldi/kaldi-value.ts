import type { NdArray } from "../nd-array.ts";

/** What a Kaldi table holds under a key: a matrix or vector of floats or doubles, or a vector of int32. */
export type KaldiValue = NdArray<"float32"> | NdArray<"float64"> | NdArray<"int32">;

/** The text form does not say what it is; these options do, where the look of it is not enough. */
export interface KaldiTextOptions {
  /** What text in brackets is; by default a matrix if a line break follows the bracket, else a vector. */
  readonly textKind?: "matrix" | "vector";
  /** The type of floats read from text. Default: float32. */
  readonly textFloat?: "float32" | "float64";
}
