import { join } from "node:path";
import { MillraceError } from "../../index.ts";
import type { OutputEntry } from "./output-line.ts";
import { readOutputScp } from "./read-output-scp.ts";

/** Texts to compare: an scp file, texts by id, or a plain list whose positions are the ids. */
export type TextSource = string | ReadonlyMap<string, string> | readonly string[];

/** The two sides of a comparison: the folder of a run, or two sources. */
export type ScoreSource = string | { readonly hyp: TextSource; readonly ref: TextSource };

export interface TextPair {
  readonly id: string;
  readonly hyp: string;
  readonly ref: string;
}

/** Which lists of a run are compared, and how a missing hypothesis counts. */
export interface PairOptions {
  /** Key of the hypotheses in the run folder. Default `hyp`. */
  readonly hypKey?: string;
  /** Key of the references in the run folder. Default `ref`. */
  readonly refKey?: string;
  /** A reference without a hypothesis is an error (`fail`), or counts as an empty hypothesis. Default `fail`. */
  readonly missing?: "fail" | "empty";
}

/** The pairs of texts, by id. Lists in the same order need no memory. */
export function* pairTexts(source: ScoreSource, options: PairOptions = {}): Generator<TextPair> {
  const { hypKey = "hyp", refKey = "ref", missing = "fail" } = options;
  const { hyp, ref } =
    typeof source === "string" ? { hyp: join(source, `${hypKey}.scp`), ref: join(source, `${refKey}.scp`) } : source;
  if (Array.isArray(hyp) && Array.isArray(ref) && hyp.length !== ref.length) {
    throw new MillraceError("BAD_OPTION", `There are ${hyp.length} hypotheses and ${ref.length} references.`, {
      hint: "Lists are compared place by place; give texts by id (a Map) where some are missing.",
    });
  }
  const hyps = entriesOf(hyp)[Symbol.iterator]();
  const refs = entriesOf(ref)[Symbol.iterator]();
  // Texts whose other side has not been read yet.
  const waiting = { hyp: new Map<string, string>(), ref: new Map<string, string>() };
  for (;;) {
    const [oneHyp, oneRef] = [hyps.next(), refs.next()];
    if (oneHyp.done === true && oneRef.done === true) break;
    if (oneHyp.done !== true && oneRef.done !== true && oneHyp.value.id === oneRef.value.id) {
      requireNew(oneHyp.value.id, waiting);
      yield { id: oneHyp.value.id, hyp: oneHyp.value.value, ref: oneRef.value.value };
      continue;
    }
    if (oneHyp.done !== true) yield* meet(oneHyp.value, waiting.hyp, waiting.ref, "hyp");
    if (oneRef.done !== true) yield* meet(oneRef.value, waiting.ref, waiting.hyp, "ref");
  }
  yield* leftOver(waiting, missing);
}

function* meet(
  { id, value }: OutputEntry,
  unmatched: Map<string, string>,
  others: Map<string, string>,
  side: "hyp" | "ref",
): Generator<TextPair> {
  const other = others.get(id);
  if (other !== undefined) {
    others.delete(id);
    yield side === "hyp" ? { id, hyp: value, ref: other } : { id, hyp: other, ref: value };
    return;
  }
  if (unmatched.has(id)) throw twice(id);
  unmatched.set(id, value);
}

function requireNew(id: string, { hyp, ref }: { hyp: Map<string, string>; ref: Map<string, string> }): void {
  if (hyp.has(id) || ref.has(id)) throw twice(id);
}

function* leftOver(
  { hyp, ref }: { hyp: Map<string, string>; ref: Map<string, string> },
  missing: "fail" | "empty",
): Generator<TextPair> {
  if (hyp.size > 0)
    throw unmatched([...hyp.keys()], "hypotheses have no reference", "Leave them out, or add the references.");
  if (ref.size > 0 && missing === "fail") {
    throw unmatched(
      [...ref.keys()],
      "references have no hypothesis",
      'Find out why, or pass missing: "empty" to count them as deleted.',
    );
  }
  for (const [id, text] of ref) yield { id, hyp: "", ref: text };
}

function* entriesOf(source: TextSource): Generator<OutputEntry> {
  if (typeof source === "string") yield* readOutputScp(source);
  else if (Array.isArray(source))
    for (const [i, value] of source.entries()) yield { id: String(i), value: value as string };
  else for (const [id, value] of source as ReadonlyMap<string, string>) yield { id, value };
}

function twice(id: string): MillraceError {
  return new MillraceError("BAD_RECORD", `The id ${JSON.stringify(id)} occurs twice among the texts to compare.`, {
    hint: "Each id may occur once among the hypotheses and once among the references.",
  });
}

function unmatched(ids: readonly string[], what: string, hint: string): MillraceError {
  const shown = ids.slice(0, 5).map((id) => JSON.stringify(id));
  return new MillraceError("BAD_RECORD", `${ids.length} ${what}: ${shown.join(", ")}${ids.length > 5 ? ", …" : ""}.`, {
    hint,
  });
}
