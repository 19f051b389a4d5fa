import type { RunModel } from "../model/run-model.ts";

/** The time that a timeline shows: everything known, or the end of it. It extends to now while workers are active. */
export function timelineSpan(
  { attempts, overview }: Pick<RunModel, "attempts" | "overview">,
  { now, windowMs }: { readonly now: number; readonly windowMs: number | undefined },
): { readonly from: number; readonly to: number } {
  const ends = attempts.reduce((latest, { ended }) => Math.max(latest, ended), overview.began ?? 0);
  const to = overview.workers.length > 0 ? Math.max(now, ends) : ends;
  const began = attempts.reduce((earliest, { began: at }) => Math.min(earliest, at), overview.began ?? to);
  const from = windowMs === undefined ? began : Math.max(began, to - windowMs);
  return { from: Math.min(from, to - 1), to };
}
