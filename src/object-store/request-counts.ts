/** Requests that were sent to a store, as its price list distinguishes them, and bytes. Retries are counted each time. */
export interface RequestCounts {
  /** PUT, POST and COPY. */
  writes: number;
  lists: number;
  /** GET and HEAD. */
  reads: number;
  /** Usually free. */
  deletes: number;
  /** How many of all these were repetitions. */
  retries: number;
  sentBytes: number;
  receivedBytes: number;
}

export function noRequests(): RequestCounts {
  return { writes: 0, lists: 0, reads: 0, deletes: 0, retries: 0, sentBytes: 0, receivedBytes: 0 };
}
