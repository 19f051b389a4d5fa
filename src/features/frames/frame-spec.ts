/** Filters over a spectrum, each as its first bin and the weights from there on: most of a triangle is zero. */
export interface SparseFilters {
  readonly count: number;
  readonly starts: Int32Array;
  readonly lengths: Int32Array;
  /** The weights of all filters, one after the other. */
  readonly weights: Float64Array;
}

/** What is done to every frame: mean, pre-emphasis, window, spectrum, filters, floor, logarithm; in this order. */
export interface FrameSpec {
  /** Samples of a frame. */
  readonly frameLength: number;
  /** Samples from the start of a frame to the next. */
  readonly frameShift: number;
  /** Length of the transform; a shorter frame is filled up with zeros. */
  readonly fftSize: number;
  /** One factor a sample; carries the scale of the samples too. */
  readonly window: Float64Array;
  /**
   * Rounds as Kaldi does: the same transform (split radix) with the same factors in float32. What is left of a frame where
   * it has next to no energy is rounding, and so equal too. For powers of two.
   */
  readonly isKaldi: boolean;
  readonly removeMean: boolean;
  readonly preemphasis: number;
  /** Whether the sum of squares of a frame is wanted: before pre-emphasis and window, or after. */
  readonly energy: "none" | "raw" | "windowed";
  readonly spectrum: "power" | "magnitude";
  readonly filters: SparseFilters;
  /** Outputs are at least this. */
  readonly floor: number | undefined;
  /** The natural logarithm of the outputs; needs a floor above 0. */
  readonly log: boolean;
}

/** Where frames come from and where their features go. */
export interface FrameJob {
  readonly samples: Float32Array;
  /** The first sample of the first frame. All frames have to lie inside the samples. */
  readonly firstSample: number;
  readonly frames: number;
  /** Rows of `rowLength` values, the features in each from column `firstColumn` on. */
  readonly output: Float32Array;
  readonly firstRow: number;
  readonly rowLength: number;
  readonly firstColumn: number;
  /** Sums of squares, one a row, where the spec wants them. */
  readonly energies: Float64Array | undefined;
}

/** Carries a spec out. There are two: one in SIMD for the usual sizes, one in float64 for any. */
export interface FrameEngine {
  run(job: FrameJob): void;
}
