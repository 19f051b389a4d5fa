/** What {@link RetryAfterError} reads of an answer: a `Response` of `fetch`, or anything of its shape. */
export interface RefusedResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

/** Where the pause of a {@link RetryAfterError} comes from. */
export interface RetryAfterDetails {
  /** The answer of the server: its status, and its Retry-After header if it has one. */
  readonly response?: RefusedResponse | undefined;
  /** Milliseconds to wait. Default: what the header of `response` says. */
  readonly retryAfterMs?: number | undefined;
  /** The HTTP status. Default: that of `response`. */
  readonly status?: number | undefined;
  readonly cause?: unknown;
}

/**
 * An error to throw in `forward` when a server asks to come back later. Where the item has `retries` left, it is tried
 * again after that time, and other items continue meanwhile. Without a readable Retry-After, the pause is that of any
 * retry (`retryDelay`).
 *
 * ```ts
 * const response = await fetch(url, { signal });
 * if (response.status === 429 || response.status === 503) throw new RetryAfterError("busy", { response });
 * ```
 */
export class RetryAfterError extends Error {
  override readonly name: string = "RetryAfterError";
  /** Milliseconds to wait before the next try; undefined if the server did not say. */
  readonly retryAfterMs: number | undefined;
  /** The HTTP status of the answer, if known. */
  readonly status: number | undefined;

  constructor(message: string, details: RetryAfterDetails = {}) {
    super(message, "cause" in details ? { cause: details.cause } : {});
    const { response, retryAfterMs = response && readRetryAfter(response), status = response?.status } = details;
    this.retryAfterMs = isPause(retryAfterMs) ? retryAfterMs : undefined;
    this.status = status;
  }
}

/** The HTTP status and the pause that an error carries: of a {@link RetryAfterError}, or of a client library's own. */
export function refusalOf(error: unknown): { readonly status?: number; readonly retryAfterMs?: number } {
  if (typeof error !== "object" || error === null) return {};
  const { status, retryAfterMs } = error as { status?: unknown; retryAfterMs?: unknown };
  return {
    ...(typeof status === "number" ? { status } : {}),
    ...(isPause(retryAfterMs) ? { retryAfterMs } : {}),
  };
}

function isPause(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

// Nine digits of seconds are thirty years; a longer number is damage.
const seconds = /^\d{1,9}(?:\.\d{1,9})?$/;
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The pause that an answer asks for, in milliseconds; undefined if it has none, or none that can be read. */
function readRetryAfter({ headers }: RefusedResponse): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (seconds.test(text)) return Number(text) * 1000;
  const at = parseDate(text);
  if (at === undefined) return undefined;
  // The server's own clock where it names the time: this host's may be minutes off.
  return Math.max(0, at - (parseDate(headers.get("date")?.trim() ?? "") ?? Date.now()));
}

function parseDate(text: string): number | undefined {
  const at = httpDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
