/** One check and its result. */
export interface Finding {
  readonly state: "fine" | "missing" | "note" | "wrong";
  readonly what: string;
  readonly detail: string;
  readonly hint?: string;
}
