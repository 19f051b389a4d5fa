/**
 * The first key that occurs twice in one object of a JSON text, or undefined. JSON.parse silently keeps the last one,
 * another reader the first, so one file would have two meanings. The text must be valid JSON.
 */
export function repeatedKey(json: string): string | undefined {
  // One set per open object; arrays have none.
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (sign === "{") open.push(new Set());
    else if (sign === "[") open.push(undefined);
    else if (sign === "}" || sign === "]") open.pop();
    else if (sign === '"') {
      const end = endOfString(json, at);
      const keys = open.at(-1);
      if (keys !== undefined && isBeforeColon(json, end)) {
        const key = JSON.parse(json.slice(at, end)) as string;
        if (keys.has(key)) return key;
        keys.add(key);
      }
      at = end - 1;
    }
  }
  return undefined;
}

function endOfString(json: string, start: number): number {
  for (let at = start + 1; ; at++) {
    if (json[at] === "\\") at++;
    else if (json[at] === '"') return at + 1;
  }
}

function isBeforeColon(json: string, from: number): boolean {
  let at = from;
  while (json[at] === " " || json[at] === "\n" || json[at] === "\t" || json[at] === "\r") at++;
  return json[at] === ":";
}
