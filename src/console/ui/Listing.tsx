import type { ComponentChildren } from 'preact';
import type { Loaded } from '../api/useApi.ts';
import { t } from '../text/translate.ts';
import { Loading } from './Loading.tsx';
import { Empty } from './Page.tsx';
import { Table, type TableProps } from './Table.tsx';

interface EmptyProps {
  /** Title of the empty state. */
  none: string;
  /** Below it: what creates entries. */
  hint?: ComponentChildren;
}

type ListingProps<T> = EmptyProps & {
  of: Loaded<T>;
  /** Shows the answer; not called without entries. */
  children(answer: T): ComponentChildren;
} & (T extends readonly unknown[] ? { rows?: never } : { rows(answer: T): readonly unknown[] });

/** A list that a call answers, with its loading, error and empty states, and a button that shows more. */
export function Listing<T>({ of, none, hint, children, rows }: ListingProps<T>) {
  const isEmpty = (answer: T): boolean => (rows?.(answer) ?? (answer as readonly unknown[])).length === 0;
  return (
    <Loading of={of}>
      {(answer) =>
        isEmpty(answer) ? (
          <Empty title={none}>{typeof hint === 'string' ? <span>{hint}</span> : hint}</Empty>
        ) : (
          <>
            {children(answer)}
            {of.showMore && (
              <div>
                <button type="button" onClick={of.showMore}>
                  {t('Show more')}
                </button>
              </div>
            )}
          </>
        )
      }
    </Loading>
  );
}

/** The same as a table. */
export function ListTable<Row>({
  of,
  none,
  hint,
  ...table
}: { of: Loaded<Row[]> } & EmptyProps & Omit<TableProps<Row>, 'rows'>) {
  return (
    <Listing of={of} none={none} hint={hint}>
      {(rows) => <Table {...table} rows={rows} />}
    </Listing>
  );
}
