import { isMillraceError, MillraceError } from "../errors/errors.ts";
import { EnvironmentValue, type Origin, rememberOrigins } from "../secrets/origins.ts";
import { type InstanceReference, tag, typedArrays } from "./value-marks.ts";

/** Creates an instance from what its `toJSON` returned. */
export type OnInstance = (reference: InstanceReference, json: unknown) => unknown;

/** Returns the function that a reference names. */
export type OnFunction = (reference: InstanceReference) => unknown;

/** Returns the value of an expression of the environment. */
export type OnEnvironment = (value: EnvironmentValue) => {
  readonly value: unknown;
  readonly origin: Origin | undefined;
};

/** How values that JSON cannot hold are restored. */
export interface DecodeRules {
  /** Default: the reference to the class instead of the instance. */
  readonly onInstance?: OnInstance | undefined;
  /** Default: values from the environment stay expressions. */
  readonly onEnvironment?: OnEnvironment | undefined;
  /** Default: the reference instead of the function. */
  readonly onFunction?: OnFunction | undefined;
}

type Mark = Readonly<Record<string, unknown>>;

/** Reads what a ValueEncoder wrote. A mark of an unknown shape is refused: other programs may write to a run folder. */
export class ValueDecoder {
  readonly #onInstance: OnInstance;
  readonly #onEnvironment: OnEnvironment | undefined;
  readonly #onFunction: OnFunction;
  /** The objects in the order in which they are read, which is the encoder's order. */
  readonly #made: unknown[] = [];

  constructor({ onInstance, onEnvironment, onFunction }: DecodeRules) {
    this.#onInstance = onInstance ?? ((reference) => reference);
    this.#onEnvironment = onEnvironment;
    this.#onFunction = onFunction ?? ((reference) => reference);
  }

  decode(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return this.#note(() => this.#decodeItems(value));
    const mark = value as Mark;
    const kind = mark[tag];
    if (kind === undefined) return this.#note(() => this.#decodeEntries(mark));
    switch (kind) {
      case "undefined":
        return undefined;
      case "number":
        return Number(textIn(mark, "value"));
      case "bigint":
        return attempt(mark, () => BigInt(textIn(mark, "value")));
      case "environment":
        return this.#decodeEnvironment(mark).value;
      case "function":
        return this.#onFunction({ module: textIn(mark, "module"), name: textIn(mark, "name") });
      case "same":
        return this.#made[this.#numberOfMade(mark)];
    }
    if (typeof kind !== "string") throw damagedMark(mark);
    return this.#note(() => this.#decodeMarked(kind, mark));
  }

  /** An object gets its number before its children. */
  #note(make: () => unknown): unknown {
    const number = this.#made.push(undefined) - 1;
    const made = make();
    this.#made[number] = made;
    return made;
  }

  #decodeMarked(kind: string, mark: Mark): unknown {
    switch (kind) {
      case "object":
        return this.#decodeEntries(objectIn(mark));
      case "bare":
        return Object.setPrototypeOf(this.#decodeEntries(objectIn(mark)), null);
      case "sparse":
        return this.#decodeSparse(listIn(mark, "values"), listIn(mark, "holes"));
      case "Map":
        return new Map(listIn(mark, "entries").map((entry) => this.#decodePair(mark, entry)));
      case "Set":
        return new Set(listIn(mark, "values").map((entry) => this.decode(entry)));
      case "Date":
        return new Date(requireKind(mark, "number", this.decode(mark["time"])));
      case "RegExp": {
        const pattern = attempt(mark, () => new RegExp(textIn(mark, "source"), textIn(mark, "flags")));
        pattern.lastIndex = requireKind(mark, "number", mark["lastIndex"]);
        return pattern;
      }
      case "URL":
        return this.#decodeUrl(mark);
      case "Buffer":
        return Buffer.from(textIn(mark, "base64"), "base64");
      case "instance": {
        const reference = { module: textIn(mark, "module"), name: textIn(mark, "name") };
        return this.#onInstance(reference, this.decode(mark["json"]));
      }
    }
    const typedArray = Object.hasOwn(typedArrays, kind) ? typedArrays[kind] : undefined;
    if (typedArray === undefined) throw unknownKind(kind);
    const bytes = Buffer.from(textIn(mark, "base64"), "base64");
    const aligned = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    return attempt(mark, () => new typedArray(aligned));
  }

  #decodePair(mark: Mark, pair: unknown): [unknown, unknown] {
    if (!Array.isArray(pair)) throw damagedMark(mark);
    return [this.decode(pair[0]), this.decode(pair[1])];
  }

  #numberOfMade(mark: Mark): number {
    const number = requireKind(mark, "number", mark["as"]);
    if (!Object.hasOwn(this.#made, number)) throw damagedMark(mark);
    return number;
  }

  /** The text may come from the environment. */
  #decodeUrl(mark: Mark): URL {
    const href = requireKind(mark, "string", this.decode(mark["href"]));
    return attempt(mark, () => new URL(href));
  }

  #decodeEnvironment(mark: Mark): { readonly value: unknown; readonly origin: Origin | undefined } {
    const value = new EnvironmentValue(
      textIn(mark, "expression"),
      textIn(mark, "at"),
      mark["variables"] === undefined ? "" : textIn(mark, "variables"),
    );
    return this.#onEnvironment?.(value) ?? { value, origin: undefined };
  }

  #decodeItems(items: readonly unknown[]): unknown[] {
    const origins = new Map<number, Origin>();
    const made = items.map((item, i) => this.#decodeChild(item, (origin) => origins.set(i, origin)));
    if (origins.size > 0) rememberOrigins(made, origins);
    return made;
  }

  #decodeEntries(object: Mark): Record<string, unknown> {
    const origins = new Map<string, Origin>();
    const made = Object.fromEntries(
      Object.entries(object).map(([key, entry]) => [
        key,
        this.#decodeChild(entry, (origin) => origins.set(key, origin)),
      ]),
    );
    if (origins.size > 0) rememberOrigins(made, origins);
    return made;
  }

  /**
   * Remembers where a resolved value came from: if the run is started again from its folder, it is written unresolved
   * again.
   */
  #decodeChild(child: unknown, onOrigin: (origin: Origin) => void): unknown {
    const isResolved = this.#onEnvironment !== undefined && (child as Mark | null)?.[tag] === "environment";
    if (!isResolved) return this.decode(child);
    const { value, origin } = this.#decodeEnvironment(child as Mark);
    if (origin !== undefined) onOrigin(origin);
    return value;
  }

  #decodeSparse(values: readonly unknown[], holes: readonly unknown[]): unknown[] {
    const isHole = new Set(holes);
    const array: unknown[] = [];
    array.length = values.length;
    for (const [i, value] of values.entries()) if (!isHole.has(i)) array[i] = this.decode(value);
    return array;
  }
}

function textIn(mark: Mark, key: string): string {
  return requireKind(mark, "string", mark[key]);
}

function listIn(mark: Mark, key: string): readonly unknown[] {
  const list = mark[key];
  if (!Array.isArray(list)) throw damagedMark(mark);
  return list;
}

function objectIn(mark: Mark): Mark {
  const object = mark["value"];
  if (typeof object !== "object" || object === null) throw damagedMark(mark);
  return object as Mark;
}

interface Kinds {
  readonly string: string;
  readonly number: number;
}

function requireKind<Kind extends keyof Kinds>(mark: Mark, kind: Kind, value: unknown): Kinds[Kind] {
  if (typeof value === kind) return value as Kinds[Kind];
  throw damagedMark(mark);
}

/** Creates a value of a class that checks its arguments. */
function attempt<T>(mark: Mark, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw isMillraceError(cause) ? cause : damagedMark(mark, cause);
  }
}

function damagedMark(mark: Mark, cause?: unknown): MillraceError {
  const kind = mark[tag];
  const name = JSON.stringify(typeof kind === "string" ? kind : typeof kind);
  return damagedValue(`a value of the kind ${name} that is damaged`, cause);
}

/** A value in a run folder that no version of millrace writes. */
export function damagedValue(what: string, cause?: unknown): MillraceError {
  return new MillraceError("RUN_DAMAGED", `The run folder holds ${what}.`, {
    hint: "Restore the file from a copy, or start over with resume: false.",
    ...(cause !== undefined && { cause }),
  });
}

function unknownKind(kind: string): MillraceError {
  return new MillraceError(
    "RUN_FOREIGN",
    `The run folder holds a value of the kind ${JSON.stringify(kind.slice(0, 60))}.`,
    {
      hint: "It was written by a newer version of millrace: use that one.",
    },
  );
}
