import type { VectorEntry } from "./write-together.ts";

/** The mean vector of each speaker, accumulated per utterance. Utterances without a speaker are ignored. */
export class SpeakerMeans {
  private readonly sums = new Map<string, { readonly sum: Float64Array; count: number }>();

  get size(): number {
    return this.sums.size;
  }

  add(speaker: string, vector: Float32Array): void {
    if (speaker === "") return;
    let entry = this.sums.get(speaker);
    if (entry === undefined) {
      entry = { sum: new Float64Array(vector.length), count: 0 };
      this.sums.set(speaker, entry);
    }
    const { sum } = entry;
    for (let k = 0; k < vector.length; k++) sum[k] = sum[k]! + vector[k]!;
    entry.count++;
  }

  *entries(): Generator<VectorEntry> {
    for (const [speaker, { sum, count }] of this.sums)
      yield { id: speaker, speaker, seconds: 0, vector: Float32Array.from(sum, (value) => value / count) };
  }
}
