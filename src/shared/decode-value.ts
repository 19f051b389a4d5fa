import { MillraceError } from "./errors.ts";
import { type InstanceReference, tag, typedArrays } from "./value-marks.ts";

/** Makes an instance again from what its `toJSON` gave. */
export type OnInstance = (reference: InstanceReference, json: unknown) => unknown;

type Mark = Readonly<Record<string, unknown>>;

/** Reads what a ValueEncoder wrote. */
export class ValueDecoder {
  readonly #onInstance: OnInstance;
  /** The objects in the order in which they are met, which is the order of the encoder. */
  readonly #made: unknown[] = [];

  constructor(onInstance: OnInstance) {
    this.#onInstance = onInstance;
  }

  decode(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return this.#note(() => value.map((entry) => this.decode(entry)));
    const mark = value as Mark;
    const kind = mark[tag];
    if (kind === undefined) return this.#note(() => this.#decodeEntries(mark));
    switch (kind) {
      case "undefined":
        return undefined;
      case "number":
        return Number(mark["value"]);
      case "bigint":
        return BigInt(mark["value"] as string);
      case "same":
        return this.#made[mark["as"] as number];
    }
    return this.#note(() => this.#decodeMarked(String(kind), mark));
  }

  /** Objects are numbered before what they hold. */
  #note(make: () => unknown): unknown {
    const number = this.#made.push(undefined) - 1;
    const made = make();
    this.#made[number] = made;
    return made;
  }

  #decodeMarked(kind: string, mark: Mark): unknown {
    switch (kind) {
      case "object":
        return this.#decodeEntries(mark["value"] as Mark);
      case "bare":
        return Object.setPrototypeOf(this.#decodeEntries(mark["value"] as Mark), null);
      case "sparse":
        return this.#decodeSparse(mark["values"] as unknown[], mark["holes"] as number[]);
      case "Map":
        return new Map(
          (mark["entries"] as [unknown, unknown][]).map(([key, entry]) => [this.decode(key), this.decode(entry)]),
        );
      case "Set":
        return new Set((mark["values"] as unknown[]).map((entry) => this.decode(entry)));
      case "Date":
        return new Date(this.decode(mark["time"]) as number);
      case "RegExp": {
        const pattern = new RegExp(mark["source"] as string, mark["flags"] as string);
        pattern.lastIndex = mark["lastIndex"] as number;
        return pattern;
      }
      case "URL":
        return new URL(mark["href"] as string);
      case "Buffer":
        return Buffer.from(mark["base64"] as string, "base64");
      case "instance": {
        const reference = { module: mark["module"] as string, name: mark["name"] as string };
        return this.#onInstance(reference, this.decode(mark["json"]));
      }
    }
    const typedArray = Object.hasOwn(typedArrays, kind) ? typedArrays[kind] : undefined;
    if (typedArray === undefined) throw unknownKind(kind);
    const bytes = Buffer.from(mark["base64"] as string, "base64");
    const aligned = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    return new typedArray(aligned);
  }

  #decodeEntries(object: Mark): Record<string, unknown> {
    return Object.fromEntries(Object.entries(object).map(([key, entry]) => [key, this.decode(entry)]));
  }

  #decodeSparse(values: readonly unknown[], holes: readonly number[]): unknown[] {
    const isHole = new Set(holes);
    const array: unknown[] = [];
    array.length = values.length;
    for (const [i, value] of values.entries()) if (!isHole.has(i)) array[i] = this.decode(value);
    return array;
  }
}

function unknownKind(kind: string): MillraceError {
  return new MillraceError("RUN_FOREIGN", `The run folder holds a value of the kind ${JSON.stringify(kind)}.`, {
    hint: "It was written by a newer version of millrace: use that one.",
  });
}
