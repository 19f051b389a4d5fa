// What a character is to a reader of tokens: a part of a word is `word` or more.
const other = 0;
export const space = 1;
export const newline = 2;
export const word = 3;
export const digit = 4;
const classes = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (code === 10 || code === 13) return newline;
  if (code === 9 || code === 11 || code === 12 || code === 32) return space;
  if (/[0-9]/.test(char)) return digit;
  return /[\w$\\]/.test(char) ? word : other;
});

/** Which of these a character is. */
export function classOf(code: number): number {
  if (code < 128) return classes[code]!;
  if (code === 0x2028 || code === 0x2029) return newline;
  const isSpace = code === 0xa0 || code === 0xfeff || (code > 0x1000 && /\s/.test(String.fromCharCode(code)));
  return isSpace ? space : word;
}

export const words: RegExp = /(?:[\w$\\]|(?!\s)[\u0080-\uffff])*/y;
export const spaces: RegExp = /\s*/y;

/** Where a run of spaces, or a word, that begins here ends. */
export function runEnd(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  pattern.test(source);
  return pattern.lastIndex;
}

const lineBreak = /[\n\r\u2028\u2029]/g;

/** Where the line ends. */
export function lineEnd(source: string, at: number): number {
  lineBreak.lastIndex = at;
  return lineBreak.test(source) ? lineBreak.lastIndex - 1 : source.length;
}

/** Where a string that begins here ends; undefined where its line ends before it does. */
export function stringEnd(source: string, from: number, quote: number): number | undefined {
  for (let at = from + 1; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === 92 /* \ */) at += source.charCodeAt(at + 1) === 13 && source.charCodeAt(at + 2) === 10 ? 2 : 1;
    else if (code === 10 || code === 13) return undefined;
  }
  return undefined;
}

/** Where a regular expression that begins here ends, with its flags; undefined where the line ends before it does. */
export function regexEnd(source: string, from: number): number | undefined {
  let isInClass = false;
  for (let at = from + 1; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (classOf(code) === newline) return undefined;
    if (code === 92) {
      at++;
      if (at < source.length && classOf(source.charCodeAt(at)) === newline) return undefined;
    } else if (code === 91 /* [ */) isInClass = true;
    else if (code === 93) isInClass = false;
    else if (code === 47 && !isInClass) {
      return runEnd(words, source, at + 1);
    }
  }
  return undefined;
}

/** The rest of a template up to its end, or to the next value that is put in. */
export function templateChunk(
  source: string,
  from: number,
): { readonly end: number; readonly isOpen: boolean } | undefined {
  for (let at = from; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === 92) at++;
    else if (code === 96) return { end: at + 1, isOpen: false };
    else if (code === 36 /* $ */ && source.charCodeAt(at + 1) === 123) return { end: at + 2, isOpen: true };
  }
  return undefined;
}
