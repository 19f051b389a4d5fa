import type { XVectorResult } from "../xvector-result.ts";
import { drawing, escapeText, shortNumber } from "./markup.ts";
import { projectToPlane } from "./pca.ts";

const size = { width: 720, height: 480, margin: 24, legend: 160 };
const maxNamed = 22;

/** The embeddings as points in the plane of their two principal components, coloured by speaker. */
export function drawMap(sample: readonly XVectorResult[]): string {
  if (sample.length === 0)
    return drawing(size.width, 60, "No embeddings", ['<text x="24" y="36">No embeddings.</text>']);
  const { x, y, explained } = projectToPlane(sample.map(({ vector }) => vector));
  const speakers = [...new Set(sample.map(({ record }) => record.speaker_id))].sort();
  const colours = new Map(speakers.map((speaker, i) => [speaker, speaker === "" ? "#888" : colourOf(i)]));
  const toX = scaleTo(x, size.margin, size.width - size.legend - size.margin);
  const toY = scaleTo(y, size.height - size.margin - 20, size.margin);
  const points = sample.map(({ record }, i) => {
    const place = `cx="${shortNumber(toX(x[i]!))}" cy="${shortNumber(toY(y[i]!))}"`;
    const name = escapeText(`${record.utt_id}${record.speaker_id === "" ? "" : ` (${record.speaker_id})`}`);
    return `<circle ${place} r="4" fill="${colours.get(record.speaker_id)}" fill-opacity=".75"><title>${name}</title></circle>`;
  });
  const left = size.width - size.legend + 8;
  const named = speakers
    .slice(0, maxNamed)
    .flatMap((speaker, i) => [
      `<circle cx="${left}" cy="${20 + 19 * i}" r="5" fill="${colours.get(speaker)}"/>`,
      `<text x="${left + 12}" y="${24 + 19 * i}">${escapeText(shorten(speaker === "" ? "no speaker" : speaker))}</text>`,
    ]);
  if (speakers.length > maxNamed)
    named.push(`<text x="${left}" y="${24 + 19 * maxNamed}">… and ${speakers.length - maxNamed} more</text>`);
  const [first, second] = explained.map((share) => `${Math.round(100 * share)} %`);
  const caption = `<text x="${size.margin}" y="${size.height - 8}">principal components: ${first} and ${second} of the variance</text>`;
  return drawing(size.width, size.height, "Embeddings by speaker", [...points, ...named, caption]);
}

// Neighbours in the list are far apart on the colour wheel (the golden angle), in two lightnesses.
function colourOf(index: number): string {
  return `hsl(${Math.round((index * 137.508) % 360)} 65% ${index % 2 === 0 ? 45 : 58}%)`;
}

function shorten(text: string): string {
  return text.length > 18 ? `${text.slice(0, 17)}…` : text;
}

function scaleTo(values: Float64Array, from: number, to: number): (value: number) => number {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) [min, max] = [Math.min(min, value), Math.max(max, value)];
  const span = max - min || 1;
  return (value) => from + ((value - min) / span) * (to - from);
}
