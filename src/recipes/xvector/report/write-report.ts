import type { TrialScores } from "../eer.ts";
import type { SplitPlaces } from "../outputs/split-places.ts";
import { writeWhole } from "../outputs/write-whole.ts";
import { modelOf, toolkitOf } from "../toolkits/choose-convention.ts";
import type { XVectorSection } from "../xvector-config.ts";
import type { XVectorResult } from "../xvector-result.ts";
import type { XVectorSummary } from "../xvector-summary.ts";
import { drawHistogram } from "./draw-histogram.ts";
import { drawMap } from "./draw-map.ts";
import type { ReportFailure } from "./report-failure.ts";
import { reportPage } from "./report-page.ts";

/** The content of a report. */
export interface ReportParts {
  readonly summary: XVectorSummary;
  readonly sample: readonly XVectorResult[];
  readonly scores: TrialScores;
  readonly failures: readonly ReportFailure[];
  readonly section: XVectorSection;
  readonly places: SplitPlaces;
}

/** Writes the report of a split as one self-contained page, and its drawings as separate files. */
export function writeReport({ summary, sample, scores, failures, section, places }: ReportParts): void {
  const { eer } = summary;
  const map = drawMap(sample);
  const cosines = drawHistogram(
    [
      { name: "different speakers", colour: "#d95f5f", values: scores.different },
      { name: "same speaker", colour: "#3b82c4", values: scores.same },
    ],
    {
      title: "Cosine of pairs of utterances",
      unit: "cosine",
      mark: eer === undefined ? undefined : { at: eer.threshold, name: `EER at ${eer.threshold.toFixed(3)}` },
    },
  );
  const durations = drawHistogram(
    [{ name: "utterances", colour: "#5aa469", values: sample.map(({ record }) => record.seconds) }],
    { title: "Durations", unit: "seconds" },
  );
  writeWhole(places.report(".map.svg"), map, places);
  writeWhole(places.report(".cosines.svg"), cosines, places);
  writeWhole(places.report(".durations.svg"), durations, places);
  const model = modelOf(section) ?? "MFCC statistics (baseline)";
  const drawings = { map, cosines, durations };
  const isSampled = sample.length < summary.written;
  const page = reportPage({
    summary,
    failures,
    drawings,
    scores,
    toolkit: toolkitOf(section),
    model,
    shown: isSampled ? sample.length : undefined,
  });
  writeWhole(places.report(".html"), page, places);
}
