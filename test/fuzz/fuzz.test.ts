import { expect, it } from "vitest";
import { allReaders } from "./all-readers.ts";
import { fuzzReaders } from "./fuzz-readers.ts";

// Another one each time: what one run does not find, the next may. A finding is reproduced by its seed and number.
const seed = Date.now() % 1_000_000;
const names = Object.keys(allReaders);

it(`reads damaged files of every kind or refuses them, within its budgets (seed ${seed})`, {
  timeout: 900_000,
}, async () => {
  const { tallies, findings } = await fuzzReaders({ readers: names, seed, cases: 500, cpuMsEach: 400 });
  expect(findings.map((finding) => ({ ...finding, again: againOf(finding) }))).toEqual([]);
  // Neither everything nor nothing is refused: the cases reach behind the first check, and are damaged.
  const dull = names.filter((name) => !tallies.get(name)?.values || !tallies.get(name)?.refusals);
  expect(dull).toEqual([]);
});

function againOf({ reader, number }: { readonly reader: string; readonly number: number }): string {
  return `npm run fuzz -- ${reader} --seed=${seed} --case=${number}`;
}
