/** Features of an utterance: one row per frame. `data` contains the rows one after the other. */
export interface FeatureMatrix {
  readonly data: Float32Array;
  readonly rows: number;
  readonly columns: number;
}
