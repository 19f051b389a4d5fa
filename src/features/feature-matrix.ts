/** Features of an utterance: one row a frame. `data` holds the rows one after the other. */
export interface FeatureMatrix {
  readonly data: Float32Array;
  readonly rows: number;
  readonly columns: number;
}
