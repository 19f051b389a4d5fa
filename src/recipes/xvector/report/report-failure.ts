/** An utterance without a vector. */
export interface ReportFailure {
  readonly id: string;
  /** Of the manifest. */
  readonly line: number;
  readonly audio: string;
  readonly code: string;
  readonly message: string;
}
