import { afterAll, it } from "vitest";

/** Why a promise of a page is not kept to the letter; shown beside it and counted. */
type Reason = `differs: ${string}` | `not yet: ${string}` | `skipped: ${string}`;

type Test = () => unknown;

// Runs the tests of what is not there yet too, to see which of them can be switched on.
const runsAll = process.env["MILLRACE_SEED_PAGES"] === "all";

/** One promise of a page: a test, or a reason, or a test that waits for what the reason names. */
export interface PagePromise {
  (title: string, test: Test, reason?: Reason | undefined): void;
  (title: string, reason: Reason): void;
}

/** The promises of one page in its own order. How many are kept, differ or are missing is printed after the last one. */
export function promisesOf(page: string): PagePromise {
  const counts = { kept: 0, differs: 0, "not yet": 0, skipped: 0 };
  afterAll(() => {
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const { kept, differs, skipped } = counts;
    process.stdout.write(
      `${page}: ${all} promises: ${kept} kept, ${differs} differ with a reason, ${counts["not yet"]} not yet, ${skipped} skipped\n`,
    );
  });
  return (title: string, first: Test | Reason, second?: Reason) => {
    const reason = typeof first === "string" ? first : second;
    counts[reason === undefined ? "kept" : (reason.split(":", 1)[0] as keyof typeof counts)]++;
    if (reason === undefined) it(title, first as Test);
    else if (typeof first === "function" && runsAll) it(`${title} (${reason})`, first);
    else it.skip(`${title} (${reason})`, () => {});
  };
}
