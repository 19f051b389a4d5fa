/** One job of `qstat -f`: its id and what is said of it. */
export interface AttributedJob {
  readonly id: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/**
 * Jobs as PBS and its relatives list them in full: a line with the id, then `    name = value`; a line that begins with a
 * tab goes on with the one before.
 */
export function readAttributes(text: string): AttributedJob[] {
  return text
    .replaceAll("\n\t", "")
    .split(/^Job Id:\s*/m)
    .slice(1)
    .map((block) => {
      const [id = "", ...lines] = block.split("\n");
      const pairs = lines.flatMap((line) => {
        const match = /^ {4}([\w.]+) = (.*)$/.exec(line);
        return match === null ? [] : [[match[1]!, match[2]!.trim()] as const];
      });
      // The first one counts: a variable of the user's may hold lines that look like attributes.
      return { id: id.trim(), attributes: new Map(pairs.reverse()) };
    });
}
