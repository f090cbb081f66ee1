import type { ComponentChildren } from 'preact';

export interface Column<T> {
  title: string;
  cell(row: T): ComponentChildren;
  isNumber?: boolean;
  /** Sorts the rows by the column; they are if `isSorted`. */
  sort?(): void;
  isSorted?: 'ascending' | 'descending';
  /** 0 to 1: how strongly the cell is coloured, in a heat map. */
  shareOf?(row: T): number;
}

interface TableProps<T> {
  /** Says what the table holds. */
  label: string;
  columns: Column<T>[];
  rows: readonly T[];
  keyOf(row: T): string;
}

const classOf = (isNumber = false, isHeat = false): string | undefined =>
  [isNumber && 'number', isHeat && 'heat'].filter(Boolean).join(' ') || undefined;

/** The table of the console. It scrolls sideways where it does not fit. */
export function Table<T>({ label, columns, rows, keyOf }: TableProps<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section class="table-scroll" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.title} {...column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, isNumber, shareOf }) => (
                <td
                  key={title}
                  class={classOf(isNumber, shareOf !== undefined)}
                  data-title={title}
                  style={shareOf && { '--share': shareOf(row) }}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Head<T>({ title, isNumber, sort, isSorted }: Column<T>) {
  return (
    <th scope="col" class={isNumber ? 'number' : undefined} aria-sort={isSorted}>
      {sort ? (
        <button type="button" class="quiet sort" onClick={sort}>
          {title}
        </button>
      ) : (
        title || <span class="visually-hidden">Actions</span>
      )}
    </th>
  );
}
