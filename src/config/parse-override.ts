import { MillraceError, messageOf } from "../errors/errors.ts";
import { castOverrideValue, casts } from "./cast-override-value.ts";
import { configError } from "./config-error.ts";
import {
  type ConfigNode,
  makeList,
  makeMap,
  makeScalar,
  type SourcePosition,
  setEntry,
  setItem,
} from "./config-node.ts";
import { literalValue, unescapeText } from "./expression-literals.ts";
import { tokenizeOverrideValue } from "./override-tokens.ts";
import { refuseReserved } from "./to-plain.ts";
import { BadSyntax, type Token } from "./tokenize.ts";

/** One override of the command line: `a.b=3`, `+a.c=1`, `++a=2`, `~a.d`, `model=large`, `model@other=large`. */
export interface Override {
  readonly kind: "change" | "add" | "forceAdd" | "delete";
  /** A key of the config, or a config group. */
  readonly key: string;
  readonly package: string | undefined;
  /** Undefined only for `~key`. */
  readonly value: ConfigNode | undefined;
  readonly text: string;
  readonly position: SourcePosition;
}

const kinds = { "": "change", "+": "add", "++": "forceAdd", "~": "delete" } as const;
const step = "[\\p{L}\\p{N}_$][\\p{L}\\p{N}_$-]*";
const keyPattern = new RegExp(`^${step}(?:(?:[./]${step})|\\[${step}\\])*$`, "u");
const packagePattern = new RegExp(`^(?:${step}(?:\\.${step})*)?$`, "u");

/** Parses an override by Hydra's grammar. */
export function parseOverride(text: string): Override {
  const position = { source: `override ${text}` };
  const match = /^(\+\+|\+|~|)([^=@]*)(?:@([^=]*))?(?:=(.*))?$/s.exec(text);
  const [, sign = "", key = "", pack, valueText] = match ?? [];
  if (match === null || !keyPattern.test(key) || (pack !== undefined && !packagePattern.test(pack))) {
    throw configError(position, "This is not an override.", {
      hint: "Write key=value, +key=value (add), ++key=value (add or change) or ~key (remove); a key is like model.layers.0.",
    });
  }
  const kind = kinds[sign as keyof typeof kinds];
  if (valueText === undefined && kind !== "delete") {
    throw configError(position, "It has no value.", { hint: `Write ${text}=VALUE; ${text}= is an empty text.` });
  }
  for (const part of key.split(/[./[\]]/)) refuseReserved(part, position);
  const value = valueText === undefined ? undefined : parseValue(valueText, position);
  return { kind, key, package: pack, value, text, position };
}

function parseValue(text: string, position: SourcePosition): ConfigNode {
  try {
    const trimmed = trimBlanks(text);
    if (trimmed === "") return makeScalar("", position);
    return new ValueReader(tokenizeOverrideValue(trimmed), position).readAll();
  } catch (error) {
    if (error instanceof MillraceError || !(error instanceof Error)) throw error;
    throw configError(position, `The value cannot be read: ${messageOf(error)}.`, {
      hint: "Quote it if it is a text: key='a, b'. In a shell, quote the whole: \"key='a, b'\".",
    });
  }
}

/** Trims blanks. One after a backslash belongs to the value. */
function trimBlanks(text: string): string {
  const isBlank = (at: number): boolean => text[at] === " " || text[at] === "\t";
  let [start, end] = [0, text.length];
  while (isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  const isEscaped = end > start && text[end - 1] === "\\" && end < text.length;
  return text.slice(start, isEscaped ? end + 1 : end);
}

const primitiveTokens = new Set([
  "id",
  "null",
  "int",
  "float",
  "bool",
  "char",
  "colon",
  "escape",
  "space",
  "interpolation",
]);

class ValueReader {
  readonly #tokens: readonly Token[];
  readonly #position: SourcePosition;
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], position: SourcePosition) {
    this.#tokens = tokens;
    this.#position = position;
  }

  readAll(): ConfigNode {
    const value = this.#readElement();
    if (this.#type() === "comma") {
      throw configError(this.#position, "There are several values.", {
        hint: "A list is key=[a,b]; a text with a comma is quoted: key='a,b'. Sweeps over values are not supported.",
      });
    }
    if (this.#type() !== undefined) throw this.#unexpected();
    return value;
  }

  #readElement(): ConfigNode {
    if (++this.#depth > 50) throw new Error("it nests deeper than 50 levels");
    const value = this.#readAnyElement();
    this.#depth--;
    return value;
  }

  #readAnyElement(): ConfigNode {
    const type = this.#type();
    if (type === "quoted") return makeScalar(unquote(this.#take("quoted").text), this.#position);
    if (type === "bracketOpen") return this.#readList();
    if (type === "braceOpen") return this.#readDict();
    if (type === "id" && this.#tokens[this.#next + 1]?.type === "parenOpen") return this.#readFunction();
    return this.#readPrimitive();
  }

  #readList(): ConfigNode {
    this.#take("bracketOpen");
    const list = makeList(this.#position);
    if (this.#type() !== "bracketClose") {
      do setItem(list, list.items.length, this.#readElement());
      while (this.#skip("comma"));
    }
    this.#take("bracketClose");
    return list;
  }

  #readDict(): ConfigNode {
    this.#take("braceOpen");
    const map = makeMap(this.#position);
    if (this.#type() !== "braceClose") {
      do {
        const key = this.#readTokens(
          (type) => primitiveTokens.has(type) && type !== "colon" && type !== "interpolation",
        );
        const name = key.map((token) => unescapeText(token, undefined)).join("");
        refuseReserved(name, this.#position);
        if (map.entries.has(name)) {
          throw configError(this.#position, `The key ${name} is there twice.`, { hint: "Remove one of them." });
        }
        this.#take("colon");
        setEntry(map, name, this.#readElement());
      } while (this.#skip("comma"));
    }
    this.#take("braceClose");
    return map;
  }

  /** `int(3.7)`, or any other cast. Sweep functions are not supported, because one run has one value. */
  #readFunction(): ConfigNode {
    const name = this.#take("id").text;
    this.#take("parenOpen");
    const args: ConfigNode[] = [];
    if (this.#type() !== "parenClose") {
      do {
        if (this.#tokens[this.#next + 1]?.type === "equal") {
          if (this.#take("id").text !== "value") throw new Error(`${name}() takes one value`);
          this.#take("equal");
        }
        args.push(this.#readElement());
      } while (this.#skip("comma"));
    }
    this.#take("parenClose");
    if (!casts.includes(name)) {
      throw new Error(
        `there is no function ${name} here; known: ${casts.join(", ")} (one run has one value: no sweeps)`,
      );
    }
    if (args.length !== 1) throw new Error(`${name}() takes one value`);
    return castOverrideValue(name, args[0]!);
  }

  #readPrimitive(): ConfigNode {
    const tokens = this.#readTokens((type) => primitiveTokens.has(type));
    if (tokens[0]?.type === "space") tokens.shift();
    if (tokens.at(-1)?.type === "space") tokens.pop();
    const [only] = tokens;
    if (only === undefined) throw this.#unexpected();
    if (tokens.length === 1) return makeScalar(literalValue(only), this.#position);
    return makeScalar(tokens.map((token) => unescapeText(token, undefined)).join(""), this.#position);
  }

  #readTokens(isWanted: (type: string) => boolean): Token[] {
    const first = this.#next;
    while (this.#type() !== undefined && isWanted(this.#type()!)) this.#next++;
    return this.#tokens.slice(first, this.#next);
  }

  #type(): string | undefined {
    return this.#tokens[this.#next]?.type;
  }

  #take(type: string): Token {
    if (this.#type() !== type) throw this.#unexpected();
    return this.#tokens[this.#next++]!;
  }

  #skip(type: string): boolean {
    if (this.#type() !== type) return false;
    this.#next++;
    return true;
  }

  #unexpected(): BadSyntax {
    const token = this.#tokens[this.#next];
    return token === undefined
      ? new BadSyntax("it ends too early", 0)
      : new BadSyntax(`${JSON.stringify(token.text.trim())} is not allowed at character ${token.at + 1}`, token.at);
  }
}

// A backslash is an escape only before a quote, as in Hydra: "a\"b", "C:\dir", "ends with one \\".
function unquote(quoted: string): string {
  const mark = quoted[0]!;
  return (
    quoted
      .slice(1)
      // Backslashes before another sign are matched too: each would be tried as the first one otherwise.
      .replace(new RegExp(`(\\\\+)(${mark}?)`, "g"), (whole, backslashes: string, quote: string) =>
        quote === "" ? whole : "\\".repeat(Math.floor(backslashes.length / 2)) + quote,
      )
      .slice(0, -1)
  );
}
