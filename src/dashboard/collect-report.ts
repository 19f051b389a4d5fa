import { basename } from "node:path";
import type { RunPaths } from "../run-folder/files/run-paths.ts";
import { version } from "../runtime/version.ts";
import type { ReportData } from "./run-view.ts";
import { viewFailures } from "./view/failure-page.ts";
import { openLiveView } from "./view/live-view.ts";
import { listLogs, readLog } from "./view/log-files.ts";
import { viewPlan } from "./view/plan-view.ts";

const maxFailures = 1000;
const maxLogBytes = 200_000;
const minLogBytes = 2000;

/** All data of a run for its report. */
export async function collectReport(runDir: string): Promise<ReportData> {
  const view = await openLiveView(runDir);
  const { paths } = view;
  const snapshot = view.snapshot();
  const { state, items } = snapshot.overview;
  return {
    card: { id: basename(paths.root), folder: ".", state, items },
    madeAt: Date.now(),
    version: version(),
    snapshot,
    failures: viewFailures(view, { offset: 0, limit: maxFailures }),
    plan: await viewPlan(paths),
    logs: lastOfLogs(paths),
  };
}

/** The end of each log. If there are many, the size limit is spent on the newest names. */
function lastOfLogs(paths: RunPaths): ReportData["logs"] {
  const logs = listLogs(paths).filter(({ bytes }) => bytes > 0);
  const share = Math.max(minLogBytes, Math.floor(maxLogBytes / Math.max(1, logs.length)));
  let left = maxLogBytes;
  return logs.flatMap(({ name, bytes }) => {
    if (left <= 0) return [];
    const piece = readLog(paths, name, -Math.min(share, left), share);
    if (piece === undefined) return [];
    left -= piece.next - piece.from;
    return [{ name, text: piece.text, bytes }];
  });
}
