const operators: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "//": (a, b) => Math.floor(a / b),
  "%": (a, b) => a - b * Math.floor(a / b),
};
const levels: readonly (readonly string[])[] = [
  ["+", "-"],
  ["*", "/", "//", "%"],
];

// Sizes are written with a few numbers.
const maxTokens = 100;

/**
 * Calculates a text of numbers, operators and brackets, as references write sizes: `(80 + 16) // 2`. Undefined for every
 * other text.
 */
export function calculate(text: string): number | undefined {
  const tokens = text.match(/\d+(?:\.\d+)?(?:e[-+]?\d+)?|\/\/|[-+*/%()]|\S/gi) ?? [];
  if (tokens.length < 2 || tokens.length > maxTokens) return undefined;
  let at = 0;
  const level = (depth: number): number => {
    const known = levels[depth];
    if (known === undefined) return unary();
    let value = level(depth + 1);
    for (;;) {
      const operator = tokens[at];
      if (operator === undefined || !known.includes(operator)) return value;
      at++;
      value = operators[operator]!(value, level(depth + 1));
    }
  };
  const unary = (): number => {
    const token = tokens[at++] ?? "";
    if (token === "-") return -unary();
    if (token === "+") return unary();
    if (token !== "(") return /^\d/.test(token) ? Number(token) : Number.NaN;
    const value = level(0);
    return tokens[at++] === ")" ? value : Number.NaN;
  };
  const result = level(0);
  return at === tokens.length && Number.isFinite(result) ? result : undefined;
}
