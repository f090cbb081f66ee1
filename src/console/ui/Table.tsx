import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { formatNumber } from '../text/format.ts';

export interface Column<T> {
  title: string;
  cell(row: T): ComponentChildren;
  isNumber?: boolean;
  /** Sorts the rows by the column. */
  sort?(): void;
  isSorted?: 'ascending' | 'descending';
  /** Intensity of the cell in a heat map, 0 to 1. */
  shareOf?(row: T): number;
}

export interface TableProps<T> {
  /** Describes the table. */
  label: string;
  columns: Column<T>[];
  rows: readonly T[];
  keyOf(row: T): string;
  /** Rows that are shown until the user asks for all. */
  first?: number;
}

const classOf = (isNumber = false, isHeat = false): string | undefined =>
  [isNumber && 'number', isHeat && 'heat'].filter(Boolean).join(' ') || undefined;

/** The table of the console. It scrolls sideways if it does not fit. */
export function Table<T>({ first = Infinity, ...table }: TableProps<T>) {
  const [isOpen, setOpen] = useState(false);
  const { rows } = table;
  if (rows.length <= first) return <Rows {...table} />;
  return (
    <>
      <Rows {...table} rows={isOpen ? rows : rows.slice(0, first)} />
      <div>
        <button type="button" onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show fewer' : `Show all ${formatNumber(rows.length)}`}
        </button>
      </div>
    </>
  );
}

function Rows<T>({ label, columns, rows, keyOf }: TableProps<T>) {
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
