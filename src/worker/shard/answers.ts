import type { Notices } from "../../run-folder/run/notices.ts";
import { type AnswerLog, encodeAnswer, type LoggedAnswer, openAnswerLog } from "../../run-folder/shard/answer-log.ts";
import { isExactJson } from "../../values/exact-json.ts";
import { describeKind, fromPlainValues, toPlainValues } from "../../values/state-json.ts";
import type { Answer } from "../calls/answer.ts";
import { describeError } from "./failure-log.ts";

/** Answers of earlier attempts, by the position of their first item. These items need no call. */
export type KnownAnswers = ReadonlyMap<number, Answer>;

/** The answers that earlier attempts have logged. */
export function knownAnswers(logged: ReadonlyMap<number, LoggedAnswer>): KnownAnswers {
  return new Map([...logged].map(([position, answer]) => [position, restoreAnswer(answer)]));
}

function restoreAnswer({ count, result, failure }: LoggedAnswer): Answer {
  if (failure === undefined) return { kind: "result", count, result: fromPlainValues(result) };
  const { name, message, code, stack, tries } = failure;
  const error = Object.assign(new Error(message), { name, stack: stack ?? "" }, code === undefined ? {} : { code });
  return { kind: "failed", count: 1, error, tries };
}

/** An answer as it is kept until a checkpoint covers its items. */
export interface KeptAnswer {
  readonly line: Buffer | undefined;
  readonly bytes: number;
}

/** Keeps the answers of a shard on disk until a checkpoint covers them. */
export interface AnswerKeeper {
  keep(position: number, answer: Answer): KeptAnswer;
  /** Keeps only these answers: a checkpoint covers all others. */
  restart(left: readonly KeptAnswer[]): void;
  /** Whether all answers are in the log, so that a kill loses none. */
  readonly isComplete: boolean;
  readonly log: AnswerLog;
}

interface KeeperOptions {
  readonly notices: Notices;
  readonly maxBytes: number;
  /** Whether failures are kept too: with `onError: "skip"`. */
  readonly keepsFailures: boolean;
}

// The assumed size of an answer that cannot be encoded.
const unknownBytes = 1024;

export function openAnswerKeeper(
  attemptDir: string,
  { notices, maxBytes, keepsFailures }: KeeperOptions,
): AnswerKeeper {
  const log = openAnswerLog(attemptDir);
  let isComplete = true;
  return {
    log,
    get isComplete() {
      return isComplete;
    },
    keep(position, answer) {
      // The run ends at this item, and its next start calls it again.
      if (answer.kind === "failed" && !keepsFailures) return { line: undefined, bytes: unknownBytes };
      let line: Buffer;
      try {
        line = encodeAnswer(loggable(position, answer));
      } catch (error) {
        isComplete = false;
        warnNotKept(notices, error);
        return { line: undefined, bytes: unknownBytes };
      }
      if (log.bytes + line.length > maxBytes) isComplete = false;
      else log.append(line);
      return { line, bytes: line.length };
    },
    restart(left) {
      isComplete = left.every(({ line }) => line !== undefined);
      log.restart(left.flatMap(({ line }) => line ?? []));
    },
  };
}

function loggable(position: number, answer: Answer): LoggedAnswer {
  const { count } = answer;
  if (answer.kind === "result") return { position, count, result: plainResult(answer.result) };
  const { error, stack } = describeError(answer.error);
  return { position, count, failure: { ...error, stack, tries: answer.tries } };
}

function plainResult(result: unknown): unknown {
  if (isExactJson(result)) return result;
  return toPlainValues(result, "result", (value, path) => {
    throw new TypeError(`${path} is ${describeKind(value)}`);
  });
}

function warnNotKept(notices: Notices, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  notices.say(
    "answers-not-kept",
    `results cannot be kept before their turn to be written (${why}): a kill repeats the calls of some milliseconds that had answered`,
  );
}
