import { basename } from "node:path";
import { version } from "../shared/version.ts";
import type { RunPaths } from "../store/run-paths.ts";
import type { ReportData } from "./run-view.ts";
import { viewFailures } from "./view/failure-page.ts";
import { openLiveView } from "./view/live-view.ts";
import { listLogs, readLog } from "./view/log-files.ts";
import { viewPlan } from "./view/plan-view.ts";

const mostFailures = 1000;
const mostLogBytes = 200_000;
const leastLogBytes = 2000;

/** Everything of a run at once, as its report tells it. */
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
    failures: viewFailures(view, { offset: 0, limit: mostFailures }),
    plan: await viewPlan(paths),
    logs: lastOfLogs(paths),
  };
}

/** The end of each log; where there are many, of the newest names as many as there is room for. */
function lastOfLogs(paths: RunPaths): ReportData["logs"] {
  const logs = listLogs(paths).filter(({ bytes }) => bytes > 0);
  const share = Math.max(leastLogBytes, Math.floor(mostLogBytes / Math.max(1, logs.length)));
  let left = mostLogBytes;
  return logs.flatMap(({ name, bytes }) => {
    if (left <= 0) return [];
    const piece = readLog(paths, name, -Math.min(share, left), share);
    if (piece === undefined) return [];
    left -= piece.next - piece.from;
    return [{ name, text: piece.text, bytes }];
  });
}
