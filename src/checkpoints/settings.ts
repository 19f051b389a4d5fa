import { nearestName } from "../text/nearest-name.ts";
import { badCheckpoint } from "./bad-checkpoint.ts";
import { Tagged, type YamlData, type YamlMap } from "./yaml-data.ts";

/** Where settings come from, for messages. */
interface Origin {
  readonly file: string;
  /** The class or section that they configure. */
  readonly of: string;
}

/**
 * The settings of one class, read by the names and defaults of its constructor. What is not asked for is refused by
 * its name, so that nothing that changes the computation is left out.
 */
export class Settings {
  readonly origin: Origin;
  private readonly given: YamlMap;
  private readonly asked = new Set<string>();

  constructor(given: YamlMap, origin: Origin) {
    this.given = given;
    this.origin = origin;
  }

  count(name: string, otherwise?: number): number {
    return this.read(name, otherwise, isCount, "a whole number above 0");
  }

  counts(name: string, otherwise: readonly number[]): readonly number[] {
    return this.read(name, otherwise, isCounts, "a list of whole numbers above 0");
  }

  wholes(name: string, otherwise: readonly number[]): readonly number[] {
    return this.read(name, otherwise, isWholes, "a list of whole numbers");
  }

  number(name: string, otherwise: number): number {
    return this.read(name, otherwise, isNumber, "a number");
  }

  flag(name: string, otherwise: boolean): boolean {
    return this.read(name, otherwise, isFlag, "true or false");
  }

  text(name: string, otherwise: string): string {
    return this.read(name, otherwise, isText, "a text");
  }

  /** A value as it is written; undefined if it is missing or null. */
  value(name: string): YamlData | undefined {
    this.asked.add(name);
    return this.given.get(name) ?? undefined;
  }

  /** Settings of training and of where it runs: they do not change an embedding. */
  ignore(...names: readonly string[]): this {
    for (const name of names) this.asked.add(name);
    return this;
  }

  /** Settings that change the computation in a way that is not converted: only these values are accepted. */
  require(name: string, value: boolean | string | number | null, why: string): void {
    const found = this.value(name) ?? null;
    if (found !== value && found !== null) throw this.refuse(`${name}: ${show(found)} is not converted (${why})`);
  }

  /** Refuses the settings that nothing has asked for. */
  finish(): void {
    const unknown = [...this.given.keys()].filter((name) => !this.asked.has(name));
    if (unknown.length === 0) return;
    const near = nearestName(unknown[0]!, [...this.asked]);
    throw this.refuse(
      `the setting${unknown.length === 1 ? "" : "s"} ${unknown.join(", ")} ${unknown.length === 1 ? "is" : "are"} not known` +
        (near === undefined ? "" : ` (did you mean ${near}?)`),
    );
  }

  refuse(problem: string): Error {
    return badCheckpoint(this.origin.file, `${this.origin.of}: ${problem}`);
  }

  private read<T extends YamlData>(
    name: string,
    otherwise: T | undefined,
    is: (value: YamlData) => value is T,
    expected: string,
  ): T {
    const value = this.value(name);
    if (value === undefined && otherwise !== undefined) return otherwise;
    if (value !== undefined && is(value)) return value;
    throw this.refuse(
      value === undefined
        ? `${name} is missing; ${expected} was expected`
        : `${name} is ${show(value)}; ${expected} was expected`,
    );
  }
}

// A model of the largest size that a checkpoint can hold has far fewer channels.
const maxCount = 1_000_000;

function isCount(value: YamlData): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value <= maxCount;
}

function isCounts(value: YamlData): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.length <= 100 && value.every(isCount);
}

function isWholes(value: YamlData): value is readonly number[] {
  return Array.isArray(value) && value.length <= 100 && value.every((one) => one === 0 || isCount(one));
}

function isNumber(value: YamlData): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isFlag(value: YamlData): value is boolean {
  return typeof value === "boolean";
}

function isText(value: YamlData): value is string {
  return typeof value === "string";
}

/** A value in a message. */
export function show(value: YamlData): string {
  if (value instanceof Tagged) return `${value.tag} ${typeof value.value === "string" ? value.value : ""}`.trim();
  const text = value instanceof Map ? `{ ${[...value.keys()].join(", ")} }` : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
