import type { ComponentChildren, JSX } from "preact";

interface Column<T> {
  readonly head: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Numbers are right-aligned. */
  readonly isNumber?: boolean;
  /** The cell that names its row. */
  readonly isHead?: boolean;
}

export interface DataTableProps<T> {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** The heading above says the same visually. */
  readonly isTitled?: boolean;
}

/** A table that scrolls by itself on a narrow screen, also by keyboard. */
export function DataTable<T>({ caption, columns, rows, keyOf, isTitled }: DataTableProps<T>): JSX.Element {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds what is filled in
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <div class="table-frame" role="group" aria-label={caption} tabIndex={0}>
      <table>
        <caption class={isTitled ? "visually-hidden" : ""}>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, isNumber }) => (
              <th key={head} scope="col" class={isNumber ? "number" : ""}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ head, cell, isNumber, isHead }) =>
                isHead ? (
                  <th key={head} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={head} class={isNumber ? "number" : ""}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
