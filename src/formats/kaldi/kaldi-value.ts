import type { NdArray } from "../nd-array.ts";

/** A value of a Kaldi table: a matrix or vector of floats or doubles, or a vector of int32. */
export type KaldiValue = NdArray<"float32"> | NdArray<"float64"> | NdArray<"int32">;

/** The text form does not contain the type; these options give it if the default rule is wrong. */
export interface KaldiTextOptions {
  /** The type of text in brackets; by default a matrix if a line break follows the bracket, else a vector. */
  readonly textKind?: "matrix" | "vector";
  /** The type of floats read from text. Default: float32. */
  readonly textFloat?: "float32" | "float64";
}
