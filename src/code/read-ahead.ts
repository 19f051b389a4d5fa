const lineBreak = /[\n\r\u2028\u2029]/g;

/** Where the line ends. */
export function lineEnd(source: string, at: number): number {
  lineBreak.lastIndex = at;
  return lineBreak.test(source) ? lineBreak.lastIndex - 1 : source.length;
}

/** Where the string that begins here ends. Undefined if the line ends first. */
export function stringEnd(source: string, from: number): number | undefined {
  const quote = source.charCodeAt(from);
  for (let at = from + 1; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === 92 /* \ */) at += source.charCodeAt(at + 1) === 13 && source.charCodeAt(at + 2) === 10 ? 2 : 1;
    else if (code === 10 || code === 13) return undefined;
  }
  return undefined;
}

const flags = /[\w$\\\u0080-\uffff]*/y;

function isLineBreak(code: number): boolean {
  return code === 10 || code === 13 || code === 0x2028 || code === 0x2029;
}

/** Where the regular expression that begins here ends, including its flags. Undefined if the line ends first. */
export function regexEnd(source: string, from: number): number | undefined {
  let isInClass = false;
  for (let at = from + 1; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (isLineBreak(code)) return undefined;
    if (code === 92) {
      at++;
      if (at < source.length && isLineBreak(source.charCodeAt(at))) return undefined;
    } else if (code === 91 /* [ */) isInClass = true;
    else if (code === 93) isInClass = false;
    else if (code === 47 && !isInClass) {
      flags.lastIndex = at + 1;
      flags.test(source);
      return flags.lastIndex;
    }
  }
  return undefined;
}

/** The rest of a template, up to its end or to the next `${`. */
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
