import type { XVectorResult } from "../xvector-result.ts";
import { LineFile } from "./line-file.ts";
import { type Sample, sampleOf } from "./sample-of.ts";
import { SpeakerMeans } from "./speaker-means.ts";
import type { SplitPlaces } from "./split-places.ts";
import type { VectorEntry } from "./write-together.ts";

/** What one pass over a split's vectors collects: the index, the means, a sample for the report. */
export class SplitTotals {
  readonly means: SpeakerMeans = new SpeakerMeans();
  readonly sample: Sample<XVectorResult> = sampleOf();
  readonly index: LineFile;
  written = 0;
  seconds = 0;
  dimension = 0;
  private readonly places: SplitPlaces;

  constructor(places: SplitPlaces) {
    this.places = places;
    this.index = new LineFile(places.index, places);
    this.index.write("utt_id\tspeaker_id\tseconds\tfile\tclipped\twarnings");
  }

  /** Passes results on to the writer and collects the totals. */
  *watch(results: Iterable<XVectorResult>): Generator<VectorEntry> {
    for (const result of results) {
      const { record, vector } = result;
      const { utt_id: id, speaker_id: speaker, seconds, clipped = 0, warnings = [] } = record;
      yield { id, speaker, seconds, vector };
      this.means.add(speaker, vector);
      this.sample.add(result);
      this.written++;
      this.seconds += seconds;
      this.dimension = vector.length;
      this.index.write([id, speaker, seconds, this.places.relative(id), clipped, warnings.join(",")].join("\t"));
    }
  }
}
