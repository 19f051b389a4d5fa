import type { TrialScores } from "../eer.ts";
import type { XVectorSummary } from "../xvector-summary.ts";
import { escapeText } from "./markup.ts";
import type { ReportFailure } from "./report-failure.ts";

const maxFailures = 500;

/** The report as a page: no scripts, no external resources. */
export function reportPage(parts: {
  readonly summary: XVectorSummary;
  readonly failures: readonly ReportFailure[];
  readonly drawings: Readonly<Record<"map" | "cosines" | "durations", string>>;
  readonly scores: TrialScores;
  readonly toolkit: string;
  readonly model: string;
  /** The number of utterances in the drawings, if not all. */
  readonly shown: number | undefined;
}): string {
  const { summary, failures, drawings, scores } = parts;
  const { split, written, failed, dimension, speakers, seconds, eer } = summary;
  const facts: readonly (readonly [string, string])[] = [
    ["model", `${parts.toolkit}: ${parts.model}`],
    ["utterances", `${written}${failed > 0 ? `, and ${failed} failed` : ""}`],
    ["speakers", String(speakers)],
    ["audio", `${(seconds / 3600).toFixed(2)} h`],
    ["dimension", String(dimension)],
    [
      "equal error rate",
      eer === undefined ? "none: it takes several utterances of several speakers" : percent(eer.eer),
    ],
    ["trials", `${scores.same.length} of one speaker, ${scores.different.length} of two`],
    ...(parts.shown === undefined ? [] : [["drawn", `${parts.shown} utterances, evenly spread`] as const]),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Embeddings: ${escapeText(split)}</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 760px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; } td, th { text-align: left; padding: .15rem .8rem .15rem 0; vertical-align: top; }
.failures { font-size: .85rem; } .failures td { overflow-wrap: anywhere; }
svg { max-width: 100%; height: auto; }
</style>
</head>
<body>
<h1>Embeddings: ${escapeText(split)}</h1>
<table>
${facts.map(([name, value]) => `<tr><th>${name}</th><td>${escapeText(value)}</td></tr>`).join("\n")}
</table>
<h2>Map</h2>
${drawings.map}
<h2>Cosines</h2>
${drawings.cosines}
<h2>Durations</h2>
${drawings.durations}
<h2>Failures</h2>
${failureTable(failures)}
</body>
</html>
`;
}

function failureTable(failures: readonly ReportFailure[]): string {
  if (failures.length === 0) return "<p>None.</p>";
  const rows = failures
    .slice(0, maxFailures)
    .map(
      ({ id, line, message }) => `<tr><td>${line}</td><td>${escapeText(id)}</td><td>${escapeText(message)}</td></tr>`,
    );
  const rest = failures.length - rows.length;
  const more = rest > 0 ? `<p>… and ${rest} more, in the table beside the index.</p>` : "";
  return `<table class="failures">
<tr><th>line</th><th>utterance</th><th>why</th></tr>
${rows.join("\n")}
</table>${more}`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}
