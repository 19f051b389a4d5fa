import type { AttemptRecord } from "../../../src/run-folder/history/history.ts";
import type { CodeVersion } from "../../../src/run-folder/run/code-versions.ts";
import type { Done } from "../../../src/run-folder/shard/done.ts";
import { home } from "../../../web/guide/story/example-files.ts";
import type { RunFiles } from "./real-example.ts";

/**
 * A run folder without what differs from one run to the next: times, the names of workers and jobs, processes, hosts, and
 * where on its disk the example is.
 */
export function comparableFiles(files: RunFiles, folder: string = home): Record<string, unknown> {
  const jobs = jobNames(files);
  const plainName = (text: string) => jobs.reduce((sum, job, i) => sum.replaceAll(job, `job-${i}`), text);
  const entries = [...files].filter(
    ([name]) =>
      !isLog(name) && !isHistory(name) && !name.startsWith(".millrace/workers/") && name !== ".millrace/jobs/sight",
  );
  const comparable = entries.map(([name, text]) => [
    plainName(name),
    comparableText(name, plainName(text.replaceAll(folder, home))),
  ]);
  comparable.push([".millrace/history/*.jsonl", attemptsIn(files)]);
  return Object.fromEntries(comparable.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}

function comparableText(name: string, text: string): unknown {
  const file = name.split("/").at(-1)!;
  if (name.endsWith("/")) return "a folder";
  if (file === "manifest.json")
    return comparableManifest(JSON.parse(text) as { readonly code: readonly CodeVersion[] });
  if (file === "done") return comparableDone(JSON.parse(text) as Done);
  if (file === "merged.json") return without(JSON.parse(text), "key");
  if (file === "spec.json") return JSON.parse(text.replaceAll("/embed.js", "/embed.ts"));
  if (name === ".millrace/failure.json")
    return without(withoutStack(JSON.parse(text) as { readonly cause: object }), "worker", "at");
  if (file === "failures.jsonl") return lines(text).map((line) => without(JSON.parse(line), "stack"));
  if (file.startsWith(".checkpoint.")) return without(JSON.parse(lines(text).at(-1)!.slice(9)), "sequence");
  if (name.startsWith(".millrace/jobs/") && file.endsWith(".json"))
    return without(JSON.parse(text), "id", "by", "node", "pid");
  // Its paths are those of the host, and it is compared with a golden file elsewhere.
  if (file.endsWith(".job")) return "a job script";
  return text;
}

/** The code of the example is a built file here and no file on the machine: only the states that it had are comparable. */
function comparableManifest({ code, ...manifest }: { readonly code: readonly CodeVersion[] }): object {
  return { ...without(manifest, "created"), code: code.map(({ scheme, itemsBefore }) => ({ scheme, itemsBefore })) };
}

function withoutStack({ cause, ...failure }: { readonly cause: object }): object {
  return { ...failure, cause: without(cause, "stack") };
}

/** The stack of a failed item holds the example's path, so its length depends on it. */
function comparableDone({ files, ...done }: Done): object {
  const isFixed = ({ name }: Done["files"][number]) => name !== "failures.jsonl";
  return {
    ...without(done, "worker"),
    files: files.map((file) => (isFixed(file) ? file : without(file, "bytes", "crc32"))),
  };
}

function jobNames(files: RunFiles): string[] {
  return [...files.keys()].flatMap((name) => /^\.millrace\/jobs\/([\w-]+)\.json$/.exec(name)?.[1] ?? []).sort();
}

/** The outcome of every attempt, without its worker; the position of an attempt that did not commit depends on timing. */
function attemptsIn(files: RunFiles): string[] {
  const records = [...files].filter(([name]) => isHistory(name)).flatMap(([, text]) => lines(text));
  return records
    .map((line) => JSON.parse(line) as AttemptRecord)
    .map(({ unit, attempt, outcome, counts }) => JSON.stringify({ unit, attempt, outcome, counts }))
    .sort();
}

function isHistory(name: string): boolean {
  return /^\.millrace\/history\/./.test(name);
}

// Schedulers write logs where and when they please.
function isLog(name: string): boolean {
  return name.startsWith(".millrace/logs/");
}

function without(value: object, ...keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
