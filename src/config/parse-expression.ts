import type { ScalarValue } from "./config-node.ts";
import { literalValue, unescapeText } from "./expression-literals.ts";
import { tokenizeElement, tokenizeText } from "./expression-tokens.ts";
import { BadSyntax, type Token } from "./tokenize.ts";

/** `${a.b[0]}`: the parts are joined to one key before the lookup, so a nested interpolation may return dots. */
interface KeyInterpolation {
  readonly kind: "key";
  readonly parts: readonly (string | Interpolation)[];
}

/** `${oc.env:HOME,/tmp}`. */
interface ResolverInterpolation {
  readonly kind: "resolver";
  readonly name: readonly (string | Interpolation)[];
  readonly args: readonly Element[];
}

export type Interpolation = KeyInterpolation | ResolverInterpolation;

/** Text that contains interpolations. */
export interface TextExpression {
  readonly kind: "text";
  readonly parts: readonly (string | Interpolation)[];
  /** In quotes: always a string, even if it is one interpolation. */
  readonly isQuoted: boolean;
}

/** An argument of a resolver. */
export type Element =
  | TextExpression
  | { readonly kind: "literal"; readonly value: ScalarValue }
  | { readonly kind: "list"; readonly items: readonly Element[] }
  | { readonly kind: "dict"; readonly entries: readonly (readonly [string, Element])[] };

// Deeper than any real config, and far from the stack limit.
const maxNesting = 100;

/** Parses a value of a config that contains `${`. */
export function parseText(text: string): TextExpression {
  const reader = new ExpressionReader(tokenizeText(text), text.length);
  const parsed = reader.readText(() => false, false);
  reader.requireEnd();
  return parsed;
}

/** Parses one element, as `oc.decode` does. */
export function parseElement(text: string): Element {
  const reader = new ExpressionReader(tokenizeElement(text), text.length);
  const parsed = reader.readElement();
  reader.requireEnd();
  return parsed;
}

const primitiveTokens = new Set(["id", "null", "int", "float", "bool", "char", "colon", "escape", "space", "open"]);
const textTokens = new Set(["text", "open", "escape", "escapedOpen", "textBackslashes", "quotedBackslashes"]);

/** Recursive descent parser; each method reads what its name says. */
class ExpressionReader {
  readonly #tokens: readonly Token[];
  readonly #length: number;
  #next = 0;
  #nesting = 0;

  constructor(tokens: readonly Token[], length: number) {
    this.#tokens = tokens;
    this.#length = length;
  }

  readText(isEnd: (token: Token) => boolean, isQuoted: boolean): TextExpression {
    const parts: (string | Interpolation)[] = [];
    for (let token = this.#peek(); token !== undefined && !isEnd(token); token = this.#peek()) {
      if (!textTokens.has(token.type)) throw this.#unexpected();
      if (token.type === "open") parts.push(this.#readInterpolation());
      else {
        this.#next++;
        parts.push(unescapeText(token, this.#peek()?.type));
      }
    }
    return { kind: "text", parts, isQuoted };
  }

  readElement(): Element {
    return this.#nested(() => {
      switch (this.#peek()?.type) {
        case "quoteOpen":
          return this.#readQuoted();
        case "bracketOpen":
          return this.#readList();
        case "braceOpen":
          return this.#readDict();
        default:
          return this.#readPrimitive();
      }
    });
  }

  requireEnd(): void {
    if (this.#peek() !== undefined) throw this.#unexpected();
  }

  #readInterpolation(): Interpolation {
    return this.#nested(() => {
      this.#take("open");
      const parts: (string | Interpolation)[] = [];
      while (this.#peek()?.type === "dot") parts.push(this.#take("dot").text);
      const first = this.#next;
      this.#readKey(parts);
      // The name of a resolver has only identifiers and dots.
      let isName = parts.length === 1 && this.#isNamePart(first);
      for (;;) {
        const type = this.#peek()?.type;
        if (type === "colon" && isName) return this.#readResolver(parts);
        if (type === "interClose") {
          this.#next++;
          return { kind: "key", parts };
        }
        if (type === "dot") {
          parts.push(this.#take("dot").text);
          isName &&= this.#isNamePart(this.#next);
          parts.push(this.#readKeyPart());
        } else if (type === "bracketOpen") {
          isName = false;
          this.#readKey(parts);
        } else throw this.#unexpected();
      }
    });
  }

  #isNamePart(index: number): boolean {
    const type = this.#tokens[index]?.type;
    return type === "id" || type === "open";
  }

  #readKey(parts: (string | Interpolation)[]): void {
    if (this.#peek()?.type !== "bracketOpen") {
      parts.push(this.#readKeyPart());
      return;
    }
    parts.push(this.#take("bracketOpen").text, this.#readKeyPart(), this.#take("bracketClose").text);
  }

  #readKeyPart(): string | Interpolation {
    const token = this.#peek();
    if (token?.type === "open") return this.#readInterpolation();
    if (token?.type !== "id" && token?.type !== "key") throw this.#unexpected();
    this.#next++;
    return token.text;
  }

  #readResolver(name: readonly (string | Interpolation)[]): Interpolation {
    this.#take("colon");
    const args = this.#peek()?.type === "braceClose" ? [] : this.#readSequence("braceClose");
    this.#take("braceClose");
    return { kind: "resolver", name, args };
  }

  // Omitted elements are empty strings: `${f:a,}` has two arguments.
  #readSequence(end: string): Element[] {
    const items: Element[] = [];
    for (;;) {
      const type = this.#peek()?.type;
      items.push(type === "comma" || type === end ? { kind: "literal", value: "" } : this.readElement());
      if (this.#peek()?.type !== "comma") return items;
      this.#next++;
    }
  }

  #readQuoted(): Element {
    this.#take("quoteOpen");
    const text = this.readText(({ type }) => type === "quoteClose", true);
    this.#take("quoteClose");
    return text;
  }

  #readList(): Element {
    this.#take("bracketOpen");
    const items = this.#peek()?.type === "bracketClose" ? [] : this.#readSequence("bracketClose");
    this.#take("bracketClose");
    return { kind: "list", items };
  }

  #readDict(): Element {
    this.#take("braceOpen");
    const entries: [string, Element][] = [];
    if (this.#peek()?.type !== "braceClose") {
      for (;;) {
        const key = this.#takeWhile((type) => primitiveTokens.has(type) && type !== "colon" && type !== "open");
        this.#take("colon");
        entries.push([key.map((token) => unescapeText(token, undefined)).join(""), this.readElement()]);
        if (this.#peek()?.type !== "comma") break;
        this.#next++;
      }
    }
    this.#take("braceClose");
    return { kind: "dict", entries };
  }

  #readPrimitive(): Element {
    const single = this.#peek();
    const parts: (string | Interpolation)[] = [];
    for (let token = single; token !== undefined && primitiveTokens.has(token.type); token = this.#peek()) {
      if (token.type === "open") parts.push(this.#readInterpolation());
      else {
        this.#next++;
        parts.push(unescapeText(token, undefined));
      }
    }
    if (parts.length === 0) throw this.#unexpected();
    if (parts.length > 1 || single?.type === "open") return { kind: "text", parts, isQuoted: false };
    if (single?.type === "space") throw new BadSyntax("nothing but spaces", single.at);
    return { kind: "literal", value: literalValue(single!) };
  }

  #nested<T>(read: () => T): T {
    if (++this.#nesting > maxNesting) {
      throw new BadSyntax(`it nests deeper than ${maxNesting} levels`, this.#peek()?.at ?? 0);
    }
    const result = read();
    this.#nesting--;
    return result;
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#next];
  }

  #take(type: string): Token {
    const token = this.#peek();
    if (token?.type !== type) throw this.#unexpected();
    this.#next++;
    return token;
  }

  #takeWhile(isWanted: (type: string) => boolean): Token[] {
    const first = this.#next;
    while (this.#peek() !== undefined && isWanted(this.#peek()!.type)) this.#next++;
    if (this.#next === first) throw this.#unexpected();
    return this.#tokens.slice(first, this.#next);
  }

  #unexpected(): BadSyntax {
    const token = this.#peek();
    return token === undefined
      ? new BadSyntax("it ends too early; a } or a quote may be missing", this.#length)
      : new BadSyntax(`${JSON.stringify(token.text)} is not allowed here`, token.at);
  }
}
