/** A forward transform of one size: the sum over n of x[n] e^(-2 pi i k n / size). */
export interface ComplexFft {
  readonly size: number;
  /** In place, on (re, im) pairs. */
  transform(values: Float64Array): void;
}
