import type { JSX } from "preact";
import type { SnapshotEntry } from "../story/snapshot.ts";
import type { Step } from "../story/story.ts";
import { Scroll } from "./scroll.tsx";
import { seconds } from "./stepper.tsx";

interface RunFolderProps {
  readonly step: Step;
  /** When the story began, by the disk's clock. */
  readonly epochMs: number;
  /** The file whose text is shown: the reader's choice, or undefined for the file that the step touched. */
  readonly chosen: string | undefined;
  readonly onChoose: (path: string) => void;
}

/** The run folder at a step: every file and folder, and the text of one of them. */
export function RunFolder({ step, epochMs, chosen, onChoose }: RunFolderProps): JSX.Element {
  const shown = pick(step, chosen);
  return (
    <section class="panel folder" aria-labelledby="folder-title">
      <h3 id="folder-title">
        The run folder <code>exp/embed</code>
      </h3>
      {step.files.length === 0 && <p class="faint">It is not there yet.</p>}
      <ul class="tree">
        {step.files.map((entry) => (
          <Entry key={entry.path} {...{ entry, step, epochMs, onChoose }} isShown={entry === shown} />
        ))}
      </ul>
      {shown !== undefined && (
        <figure>
          <figcaption>
            <code>{shown.path}</code>
          </figcaption>
          <Scroll label={`Text of ${shown.path}`}>{textOf(shown)}</Scroll>
        </figure>
      )}
    </section>
  );
}

interface EntryProps extends Omit<RunFolderProps, "chosen"> {
  readonly entry: SnapshotEntry;
  readonly isShown: boolean;
}

function Entry({ entry, step, epochMs, isShown, onChoose }: EntryProps): JSX.Element {
  const { path, bytes } = entry;
  const parts = path.split("/").filter((part) => part !== "");
  const name = parts.at(-1)! + (bytes === undefined ? "/" : "");
  const isTouched = step.touched.some((touched) => touched === path.replace(/\/$/, ""));
  const note = noteOn(entry, step, epochMs);
  return (
    <li class={`depth-${parts.length}${isTouched ? " touched" : ""}`}>
      {bytes === undefined ? (
        <span class="name">{name}</span>
      ) : (
        <button type="button" class="name" aria-pressed={isShown} aria-label={path} onClick={() => onChoose(path)}>
          {name}
        </button>
      )}
      {isTouched && <span class="mark">now</span>}
      {note !== undefined && <span class="faint">{note}</span>}
    </li>
  );
}

/** What a name alone does not show: that a lease is a second name of a worker's file, and its age. */
function noteOn(
  { path, bytes, changedMs, number }: SnapshotEntry,
  { files, atMs }: Step,
  epochMs: number,
): string | undefined {
  if (bytes === undefined) return path.endsWith(".fenced/") ? "has lost the right to commit" : undefined;
  const age = `renewed ${seconds(Math.max(0, epochMs + atMs - changedMs))} ago`;
  if (path.startsWith(".millrace/workers/")) return age;
  if (!path.startsWith(".millrace/leases/")) return undefined;
  const worker = files.find((entry) => entry.number === number && entry.path !== path);
  return worker === undefined ? age : `= ${worker.path.replace(".millrace/", "")}, ${age}`;
}

function pick({ files, touched }: Step, chosen: string | undefined): SnapshotEntry | undefined {
  const find = (path: string) => files.find((entry) => entry.path === path && entry.bytes !== undefined);
  const own = chosen === undefined ? undefined : find(chosen);
  if (own !== undefined) return own;
  for (const path of touched) {
    const found = find(path) ?? find(`${path}/done`) ?? find(`${path}/records.jsonl`);
    if (found !== undefined) return found;
  }
  return find("manifest.json");
}

const decoder = new TextDecoder();
const maxStackLength = 160;

function textOf({ path, bytes }: SnapshotEntry): string {
  const text = decoder.decode(bytes).trimEnd();
  if (text === "") return "(empty)";
  if (!path.endsWith(".json") && !path.endsWith("/done") && !path.endsWith("failures.jsonl") && !isLease(path))
    return text;
  return text
    .split(path.endsWith(".jsonl") ? "\n" : /$^/)
    .map((part) => JSON.stringify(JSON.parse(part), shorten, 1))
    .join("\n");
}

function isLease(path: string): boolean {
  return path.startsWith(".millrace/leases/");
}

function shorten(key: string, value: unknown): unknown {
  return key === "stack" && typeof value === "string" ? `${value.slice(0, maxStackLength)}…` : value;
}
