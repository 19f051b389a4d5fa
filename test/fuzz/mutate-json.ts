import { byteMutators } from "./mutate-bytes.ts";
import { textMutators } from "./mutate-text.ts";
import type { Random } from "./random.ts";
import type { Mutator } from "./reader.ts";

type Place = { readonly holder: Record<string, unknown> | unknown[]; readonly key: string };

const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  0.5,
  1e308,
  2 ** 31,
  2 ** 53,
  1e9,
  "",
  "x",
  "../../../x",
  "/etc/passwd",
  "__proto__",
  "a".repeat(3000),
  [],
  {},
  [null],
  [[]],
  [0, 0, 0],
  { $millrace: "Map" },
  { $millrace: "same", as: 0 },
];

/** Every place of a value within another, down to a depth that honest files do not reach. */
function placesOf(value: unknown, into: Place[] = [], depth = 0): Place[] {
  if (typeof value !== "object" || value === null || depth > 20 || into.length > 500) return into;
  for (const key of Object.keys(value)) {
    into.push({ holder: value as Record<string, unknown>, key });
    placesOf((value as Record<string, unknown>)[key], into, depth + 1);
  }
  return into;
}

function change({ holder, key }: Place, places: readonly Place[], random: Random): void {
  const values = holder as Record<string, unknown>;
  const other = random.pick(places);
  switch (random.below(6)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      break;
    case 1:
      // A copy: a value that holds itself is no JSON.
      values[key] = structuredClone((other.holder as Record<string, unknown>)[other.key]);
      break;
    case 2:
      if (Array.isArray(holder)) holder.push(...Array.from({ length: random.pick([1, 10, 1000]) }, () => values[key]));
      else values[random.pick(["x", "constructor", "toString", "$millrace", "length", "0"])] = values[key];
      break;
    default:
      values[key] = random.chance(0.1) ? nested(random.pick([50, 5000])) : random.pick(oddValues);
  }
}

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Changes values of JSON as values: what comes of it is JSON again, of another shape. */
export const mutateJson: Mutator = (bytes, random) => {
  try {
    const root = { value: JSON.parse(bytes.toString("utf8")) as unknown };
    const places = placesOf(root);
    change(random.pick(places), places, random);
    return Buffer.from(JSON.stringify(root.value) ?? "null");
  } catch {
    return bytes.length === 0 ? bytes : random.pick([...textMutators, ...byteMutators])(bytes, random);
  }
};
