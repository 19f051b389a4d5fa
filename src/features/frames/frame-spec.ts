/** Filters over a spectrum, each as its first bin and its weights from there: most of a triangle is zero. */
export interface SparseFilters {
  readonly count: number;
  readonly starts: Int32Array;
  readonly lengths: Int32Array;
  /** The weights of all filters, one after the other. */
  readonly weights: Float64Array;
}

/** The steps for every frame, in this order: mean, pre-emphasis, window, spectrum, filters, floor, logarithm. */
export interface FrameSpec {
  /** Samples of a frame. */
  readonly frameLength: number;
  /** Samples from the start of one frame to the start of the next. */
  readonly frameShift: number;
  /** Length of the transform. A shorter frame is padded with zeros. */
  readonly fftSize: number;
  /** One factor per sample. Includes the scale of the samples. */
  readonly window: Float64Array;
  /**
   * Rounds as Kaldi does: the same transform (split radix) with the same factors in float32. In frames with almost no
   * energy only rounding errors remain, and these are equal too. For powers of two.
   */
  readonly isKaldi: boolean;
  readonly removeMean: boolean;
  readonly preemphasis: number;
  /** Whether to compute the sum of squares of a frame: before or after pre-emphasis and window. */
  readonly energy: "none" | "raw" | "windowed";
  readonly spectrum: "power" | "magnitude";
  readonly filters: SparseFilters;
  /** Minimum of the outputs. */
  readonly floor: number | undefined;
  /** Take the natural logarithm of the outputs; needs a floor above 0. */
  readonly log: boolean;
}

/** The source of the frames and the destination of their features. */
export interface FrameJob {
  readonly samples: Float32Array;
  /** The first sample of the first frame. All frames must be inside the samples. */
  readonly firstSample: number;
  readonly frames: number;
  /** Rows of `rowLength` values; the features begin at column `firstColumn` of each. */
  readonly output: Float32Array;
  readonly firstRow: number;
  readonly rowLength: number;
  readonly firstColumn: number;
  /** Sums of squares, one per row, if the spec asks for them. */
  readonly energies: Float64Array | undefined;
}

/** Executes a spec. There are two engines: SIMD for the usual sizes, float64 for any size. */
export interface FrameEngine {
  run(job: FrameJob): void;
}
