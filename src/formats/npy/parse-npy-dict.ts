/** The three values of an npy header. */
export interface NpyDict {
  readonly descr: string;
  readonly fortranOrder: boolean;
  readonly shape: readonly number[];
}

type Fail = (problem: string, at: number) => Error;
type Token = {
  readonly kind: "mark" | "text" | "number" | "word" | "end";
  readonly value: string;
  readonly at: number;
};

// One token: a mark, a string (Python 2 may prefix u), a number (Python 2 may append L), a word, or the end.
const tokenPattern = /\s*(?:([{}()[\],:])|[ub]?(?:'([^'\\]*)'|"([^"\\]*)")|(\d+)L?(?![\w.])|(\w+)|($))/y;

/**
 * Parses the Python dict of an npy header. Only the small grammar that NumPy writes (also under Python 2) is accepted,
 * and nothing is evaluated.
 */
export function parseNpyDict(text: string, fail: Fail): NpyDict {
  const next = tokenizer(text, fail);
  const found: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  expect(next(), "{", fail);
  for (let token = next(); !isMark(token, "}"); ) {
    if (token.kind !== "text") throw fail(`a key is expected in the header, not ${show(token)}`, token.at);
    if (token.value in found) throw fail(`the header has two values for ${token.value}`, token.at);
    expect(next(), ":", fail);
    found[token.value] = readValue(token.value, next, fail);
    token = next();
    if (isMark(token, ",")) token = next();
    else if (!isMark(token, "}")) throw fail(`a comma is expected in the header, not ${show(token)}`, token.at);
  }
  const after = next();
  if (after.kind !== "end") throw fail(`the header continues after its end with ${show(after)}`, after.at);
  for (const key of ["descr", "fortran_order", "shape"]) {
    if (!(key in found)) throw fail(`the header does not say ${key}`, 0);
  }
  return {
    descr: found["descr"] as string,
    fortranOrder: found["fortran_order"] as boolean,
    shape: found["shape"] as number[],
  };
}

function readValue(key: string, next: () => Token, fail: Fail): unknown {
  const token = next();
  if (key === "descr" && token.kind === "text") return token.value;
  if (key === "descr" && token.kind === "mark")
    throw fail("the array holds records of several fields (a structured dtype)", token.at);
  if (key === "fortran_order" && token.kind === "word") {
    if (token.value === "True" || token.value === "False") return token.value === "True";
  }
  if (key === "shape" && isMark(token, "(")) return readShape(next, fail);
  throw fail(`the header cannot have ${key}: ${show(token)}`, token.at);
}

function readShape(next: () => Token, fail: Fail): number[] {
  const shape: number[] = [];
  for (let token = next(); !isMark(token, ")"); ) {
    const dimension = Number(token.value);
    if (token.kind !== "number" || !Number.isSafeInteger(dimension)) {
      throw fail(`a shape cannot hold ${show(token)}`, token.at);
    }
    shape.push(dimension);
    token = next();
    if (isMark(token, ",")) token = next();
    else if (!isMark(token, ")")) throw fail(`a comma is expected in the shape, not ${show(token)}`, token.at);
  }
  return shape;
}

function tokenizer(text: string, fail: Fail): () => Token {
  const pattern = new RegExp(tokenPattern);
  return () => {
    const at = pattern.lastIndex;
    const match = pattern.exec(text);
    if (match === null) throw fail(`the header cannot be understood at ${JSON.stringify(text.slice(at, at + 12))}`, at);
    const [, mark, single, double, number, word] = match;
    if (mark !== undefined) return { kind: "mark", value: mark, at };
    const quoted = single ?? double;
    if (quoted !== undefined) return { kind: "text", value: quoted, at };
    if (number !== undefined) return { kind: "number", value: number, at };
    return word !== undefined ? { kind: "word", value: word, at } : { kind: "end", value: "", at };
  };
}

function expect(token: Token, mark: string, fail: Fail): void {
  if (isMark(token, mark)) return;
  throw fail(`${mark} is expected in the header, not ${show(token)}`, token.at);
}

function isMark({ kind, value }: Token, mark: string): boolean {
  return kind === "mark" && value === mark;
}

function show({ kind, value }: Token): string {
  return kind === "end" ? "its end" : JSON.stringify(value.slice(0, 40));
}
