import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../text/translate.ts';
import type { Selection } from './bulk/useSelection.ts';

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
  /** Lets the user select rows. */
  selection?: Selection<T>;
  /** Marks a row that is shown elsewhere on the screen. */
  isCurrent?(row: T): boolean;
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
          {isOpen ? t('Show fewer') : t('Show all {length}', { length: rows.length })}
        </button>
      </div>
    </>
  );
}

function Rows<T>({ label, columns, rows, keyOf, selection, isCurrent }: TableProps<T>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section class="table-scroll" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column, i) => (
              <Head key={column.title} {...column}>
                {i === 0 && selection && <SelectAll rows={rows} selection={selection} />}
              </Head>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} aria-current={isCurrent?.(row) || undefined}>
              {columns.map(({ title, cell, isNumber, shareOf }, i) => (
                <td
                  key={title}
                  class={classOf(isNumber, shareOf !== undefined)}
                  data-title={title}
                  style={shareOf && { '--share': shareOf(row) }}
                >
                  {i === 0 && selection ? (
                    <div class="selectable">
                      <input
                        type="checkbox"
                        aria-label={t('Select: {row}', { row: selection.titleOf(row) })}
                        checked={selection.has(row)}
                        onChange={() => selection.toggle(row)}
                      />
                      <div>{cell(row)}</div>
                    </div>
                  ) : (
                    cell(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function SelectAll<T>({ rows, selection }: { rows: readonly T[]; selection: Selection<T> }) {
  const isAll = rows.every(selection.has);
  return (
    <input
      type="checkbox"
      aria-label={t('Select all shown')}
      checked={isAll}
      indeterminate={!isAll && selection.rows.length > 0}
      onChange={() => selection.choose(isAll ? [] : rows)}
    />
  );
}

function Head<T>({
  title,
  isNumber,
  sort,
  isSorted,
  children,
}: Column<T> & { children?: ComponentChildren }) {
  return (
    <th scope="col" class={isNumber ? 'number' : undefined} aria-sort={isSorted}>
      {children}
      {sort ? (
        <button type="button" class="quiet sort" onClick={sort}>
          {title}
        </button>
      ) : (
        title || <span class="visually-hidden">{t('Actions')}</span>
      )}
    </th>
  );
}
