import { sha256 } from "../bytes/sha256.ts";
import { MillraceError } from "../errors/errors.ts";
import { isDataset } from "../plan/dataset-items.ts";
import { describeKind } from "../values/state-json.ts";
import { makeDataset, makeLocalDataset } from "./core/make-dataset.ts";
import type { Dataset, LocalDataset } from "./dataset.ts";

/** Several datasets one after the other. Its ids are those of the parts; closing it closes all of them. */
export function concatDatasets<Row>(parts: readonly LocalDataset<Row>[]): LocalDataset<Row>;
export function concatDatasets<Row>(parts: readonly Dataset<Row>[]): Dataset<Row>;
export function concatDatasets<Row>(parts: readonly Dataset<Row>[]): Dataset<Row> {
  const odd = parts.find((part) => !isDataset(part));
  if (odd !== undefined) {
    throw new MillraceError("BAD_OPTION", `concatDatasets got ${describeKind(odd)}; open datasets were expected.`, {
      hint: "Pass an array of open datasets: concatDatasets([await openJsonl(a), await openJsonl(b)]).",
    });
  }
  const hasIds = parts.some((part) => part.hasIds);
  const shared = joinParts(parts);
  const locals = parts.filter((part) => isLocal(part));
  if (locals.length === parts.length) {
    const find = finder(locals);
    return makeLocalDataset<Row>({
      ...shared,
      readRow: (index) => find(index, (part, row) => part.at(row)),
      ...(hasIds ? { readId: (index: number) => find(index, (part, row) => part.id(row)) } : {}),
    });
  }
  const find = finder<Dataset<Row>>(parts);
  return makeDataset<Row>({
    ...shared,
    readRow: (index) => find(index, (part, row) => part.at(row)),
    ...(hasIds ? { readId: (index: number) => find(index, (part, row) => part.id(row)) } : {}),
  });
}

function isLocal<Row>(part: Dataset<Row>): part is LocalDataset<Row> {
  return part.isLocal;
}

function joinParts<Row>(parts: readonly Dataset<Row>[]) {
  const find = finder(parts);
  return {
    name: `A dataset of ${parts.length} parts`,
    length: parts.reduce((sum, part) => sum + part.length, 0),
    digest: `concat ${parts.length} parts, sha256 ${sha256(JSON.stringify(parts.map(({ digest }) => digest))).slice(0, 16)}`,
    readRows: async (indices: readonly number[]): Promise<Row[]> => {
      // One read a part, then back into the order that was asked for.
      const asked = new Map<Dataset<Row>, { rows: number[]; to: number[] }>();
      indices.forEach((index, to) => {
        find(index, (part, row) => {
          const group = asked.get(part) ?? { rows: [], to: [] };
          group.rows.push(row);
          group.to.push(to);
          asked.set(part, group);
        });
      });
      const found = new Array<Row>(indices.length);
      await Promise.all(
        [...asked].map(async ([part, { rows, to }]) => {
          (await part.get(rows)).forEach((row, i) => {
            found[to[i]!] = row;
          });
        }),
      );
      return found;
    },
    close: async () => {
      await Promise.all(parts.map((part) => part.close()));
    },
  };
}

/** Calls a function with the part that holds a row, and the row's index there. */
function finder<Part extends { readonly length: number }>(parts: readonly Part[]) {
  const ends: number[] = [];
  for (const { length } of parts) ends.push((ends.at(-1) ?? 0) + length);
  return <T>(index: number, use: (part: Part, row: number) => T): T => {
    let [low, high] = [0, parts.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (index < ends[middle]!) high = middle;
      else low = middle + 1;
    }
    return use(parts[low]!, index - (low === 0 ? 0 : ends[low - 1]!));
  };
}
