import { isAbsolute, normalize, resolve, sep } from "node:path";
import type { OnCodeChange } from "../code/compare-code.ts";
import { MillraceError } from "../errors/errors.ts";
import { toCamelCase } from "../text/letter-case.ts";
import { nearestName } from "../text/nearest-name.ts";
import { describeKind } from "../values/state-json.ts";
import type { BatchBy } from "./work-options.ts";

interface NumberRule {
  readonly min: number;
  readonly max?: number;
  readonly whole?: boolean;
}

export function checkNumber(
  name: string,
  value: unknown,
  { min, max = Number.POSITIVE_INFINITY, whole = false }: NumberRule,
): number {
  if (typeof value === "number" && value >= min && value <= max && (!whole || Number.isSafeInteger(value)))
    return value;
  const upTo = max === Number.POSITIVE_INFINITY ? "" : ` to ${max}`;
  throw bad(name, value, `a ${whole ? "whole " : ""}number from ${min}${upTo}`);
}

export function checkOptional(name: string, value: unknown, rule: NumberRule): number | undefined {
  return value === undefined ? undefined : checkNumber(name, value, rule);
}

export function checkBoolean(name: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw bad(name, value, "true or false");
}

export function checkFolder(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && value !== "" && !value.includes("\0")) return resolve(value);
  throw bad(name, value, "a path");
}

export function checkOnError(value: unknown): "fail" | "skip" {
  if (value === "fail" || value === "skip") return value;
  throw bad("onError", value, '"fail" or "skip"');
}

export function checkNonFinite(value: unknown): "refuse" | "null" {
  if (value === "refuse" || value === "null") return value;
  throw bad("nonFinite", value, '"refuse" or "null"');
}

export function checkSpecAccess(value: unknown): "owner" | "group" {
  if (value === "owner" || value === "group") return value;
  throw bad("specAccess", value, '"owner" or "group"');
}

export function checkOnCodeChange(value: unknown): OnCodeChange | undefined {
  if (value === undefined || value === "refuse" || value === "warn" || value === "accept") return value;
  throw bad("onCodeChange", value, '"refuse", "warn" or "accept"');
}

export function checkSubdir(value: unknown): string {
  const isInside =
    typeof value === "string" && !isAbsolute(value) && !value.includes("\0") && normalize(value).split(sep)[0] !== "..";
  if (isInside) return value;
  throw bad("shardSubdir", value, "a relative path that stays inside outputDir");
}

export function checkBatchBy(value: BatchBy | undefined): BatchBy | undefined {
  if (value === undefined) return undefined;
  if (value?.cost === "sum" || value?.cost === "padded") {
    return { cost: value.cost, max: checkNumber("batchBy.max", value.max, { min: Number.MIN_VALUE }) };
  }
  throw bad("batchBy.cost", value?.cost, '"sum" or "padded"');
}

function bad(name: string, value: unknown, expected: string): MillraceError {
  return new MillraceError("BAD_OPTION", `Option ${name} is ${describeKind(value)}; ${expected} was expected.`, {
    hint: `Pass ${expected}, or leave ${name} out for its default.`,
  });
}

/** The error about an unknown option. It names the nearest known one. */
export function unknownName(shown: string, name: string, names: readonly string[]): MillraceError {
  const near = nearestName(toCamelCase(name), names);
  return new MillraceError("BAD_OPTION", `Option ${JSON.stringify(shown)} is not known.`, {
    hint: near === undefined ? `Known: ${names.join(", ")}.` : `Did you mean ${near}?`,
  });
}
