import { isAbsolute } from "node:path";
import { hasControls } from "../../text/has-controls.ts";
import type { Submission } from "./submission.ts";

type Check = (value: unknown) => boolean;

/** The maximum number of tasks in all open submissions of a run: more than any scheduler accepts. */
export const maxTasks = 1_000_000;
const maxTextLength = 4096;
const maxSeconds = 1e9;

/** Whether a text can be the name of a submission: it must be a file name, and one word for every scheduler. */
export function isJobName(name: unknown): name is string {
  return typeof name === "string" && /^[A-Za-z][A-Za-z0-9-]{0,39}$/.test(name);
}

/** Whether a text can be the name of a node: it becomes part of a job script. */
export function isNodeName(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}$/.test(name);
}

const isFlag: Check = (value) => typeof value === "boolean";
const isText: Check = (value) => typeof value === "string" && value.length <= maxTextLength && !hasControls(value);
const isLine: Check = (value) => isText(value) && value !== "";
const isWord: Check = (value) => isLine(value) && !/\s|^-/.test(value as string);
const isWhole =
  (least: number, most: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
const isSeconds =
  (least: number): Check =>
  (value) =>
    typeof value === "number" && value >= least && value <= maxSeconds;

const isSetting: Check = (value) =>
  isFlag(value) || isText(value) || (typeof value === "number" && Number.isFinite(value)) || isList(value);
const isList: Check = (value) => Array.isArray(value) && value.length <= 1000 && value.every(isText);
const areSettings: Check = (value) =>
  isMapping(value) && Object.entries(value).every(([key, entry]) => /^[a-z_]+$/.test(key) && isSetting(entry));

const required: { readonly [field: string]: Check } = {
  env: (value) => typeof value === "string" && /^[a-z_]{1,20}$/.test(value),
  tasks: isWhole(1, maxTasks),
  processes: isWhole(1, 100_000),
  graceSeconds: isSeconds(0),
};
const optional: { readonly [field: string]: Check } = {
  // The scheduler that made it checks the rest.
  id: (value) => isWord(value) && (value as string).length <= 256,
  walltimeSeconds: isSeconds(Number.MIN_VALUE),
  threadsPerWorker: isWhole(1, 1_000_000),
  maxHeapMb: isWhole(1, Number.MAX_SAFE_INTEGER),
  own: areSettings,
  logDirectory: (value) => isLine(value) && isAbsolute(value as string),
  host: isWord,
  by: isLine,
  isClosed: isFlag,
  isUnwanted: isFlag,
};

/** What is wrong with the record of a submission in the file of this name; undefined if it is valid. */
export function problemOfSubmission(value: unknown, name: string): string | undefined {
  if (!isJobName(name)) return "it is not the name of a submission";
  if (!isMapping(value)) return "it holds no record";
  if (value["version"] !== 1) return "it has another version";
  if (value["name"] !== name) return "the name in it is not its file's";
  const isWrong = (checks: typeof required, mayBeAbsent: boolean) =>
    Object.keys(checks).find((key) => !(mayBeAbsent && value[key] === undefined) && !checks[key]!(value[key]));
  const wrong = isWrong(required, false) ?? isWrong(optional, true);
  return wrong === undefined ? undefined : `its ${wrong} is not one that a submission has`;
}

/** The fields of a record that are known. */
export function knownFields(value: object): Submission {
  const names = ["version", "name", ...Object.keys(required), ...Object.keys(optional)];
  return Object.fromEntries(Object.entries(value).filter(([key]) => names.includes(key))) as Submission;
}

/** Whether a value is an object with keys. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
