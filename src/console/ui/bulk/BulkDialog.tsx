import { useEffect, useRef, useState } from 'preact/hooks';
import { repeatNow } from '../../api/repeat.ts';
import { t } from '../../text/translate.ts';
import { announce } from '../announcements.tsx';
import { Dialog } from '../Dialog.tsx';
import type { Value } from '../form/schema.ts';
import { useUnsaved } from '../form/unsaved.ts';
import { ErrorMessage } from '../Loading.tsx';
import { type AskedReason, AskReason } from '../ReasonForm.tsx';
import { Table } from '../Table.tsx';
import { type Batches, type RefusedItem, type TakeBack, takeBack } from './batches.ts';

/** A change of many items, which an administrator makes for a reason. */
export interface BulkChange extends AskedReason {
  /** Said if no item is to be changed: "There is no user to change." */
  none: string;
  /** "3 users" */
  counted(n: number): string;
  /** "3 of 10 users done" */
  progress(changed: number, total: number): string;
  /** After it: "Rejected." */
  done: string;
  /** Number of items that it changes with these values. */
  total(value: Value): number;
  /** Rejects values that the service would refuse, while the form is still open. */
  check?(value: Value): Promise<unknown>;
  begin(reason: string, fields: Value): Batches;
  /** Undoes items that it has changed, by their ids. It has a reason and an effect of its own. */
  undo?(ids: readonly string[]): BulkChange;
}

interface BulkDialogProps {
  of: BulkChange;
  /** @param isBegun whether items may have changed */
  onClose(isBegun: boolean): void;
}

interface Run {
  of: Pick<BulkChange, 'label' | 'counted' | 'progress' | 'done'>;
  batches: Batches;
  total: number;
  reason: string;
}

/**
 * Shows the effect, asks for the reason, and shows the progress, which can be cancelled. After that, it takes
 * back or undoes what can be.
 */
export function BulkDialog({ of: first, onClose }: BulkDialogProps) {
  const [run, setRun] = useState<Run | null>(null);
  const [undo, setUndo] = useState<BulkChange | null>(null);
  const of = undo ?? first;
  if (run !== null) {
    const askUndo = (ids: readonly string[]): void => {
      setRun(null);
      setUndo(of.undo!(ids));
    };
    const reverse = (takeBacks: readonly TakeBack[]): void =>
      setRun({
        of: {
          ...of,
          label: t('Take back: {items}', { items: of.counted(takeBacks.length) }),
          done: t('Taken back.'),
        },
        batches: takeBack(takeBacks, run.reason),
        total: takeBacks.length,
        reason: run.reason,
      });
    // The key begins the progress anew.
    return (
      <Progress
        key={run.of.label}
        {...run}
        onTakeBack={reverse}
        onUndo={askUndo}
        onClose={() => onClose(true)}
      />
    );
  }
  const begin = async (reason: string, others: Value): Promise<void> => {
    const total = of.total(others);
    if (total === 0) throw new Error(of.none);
    await of.check?.(others);
    setRun({ of, batches: of.begin(reason, others), total, reason });
  };
  return <AskReason key={of.label} of={of} onSubmit={begin} onClose={() => onClose(undo !== null)} />;
}

interface Done {
  changed: number;
  refused: RefusedItem[];
  takeBacks: TakeBack[];
  undoable: readonly string[];
  isOver: boolean;
  error: string | null;
}

const NOTHING_DONE: Done = {
  changed: 0,
  refused: [],
  takeBacks: [],
  undoable: [],
  isOver: false,
  error: null,
};

interface ProgressProps extends Omit<Run, 'reason'> {
  onTakeBack(takeBacks: readonly TakeBack[]): void;
  onUndo(ids: readonly string[]): void;
  onClose(): void;
}

/** Closes by itself if every item is changed, and none can be changed back. */
function Progress({ of, batches, total, onTakeBack, onUndo, onClose }: ProgressProps) {
  const [done, setDone] = useState<Done>(NOTHING_DONE);
  const isCancelled = useRef(false);
  useUnsaved(!done.isOver);
  useEffect(() => {
    void runBatches(batches, isCancelled, setDone).then((last) => {
      void repeatNow();
      if (last.error !== null || last.refused.length > 0 || isCancelled.current) return;
      if (last.takeBacks.length + last.undoable.length > 0) return;
      announce(of.done);
      onClose();
    });
  }, []);
  const { changed, refused, takeBacks, undoable, isOver, error } = done;
  const reversible = isOver ? takeBacks.length + undoable.length : 0;
  const left = total - changed - refused.length;
  const cancel = (): void => {
    isCancelled.current = true;
  };
  return (
    <Dialog title={of.label} onClose={isOver ? onClose : cancel}>
      <progress aria-label={of.label} value={changed + refused.length} max={total} />
      <p role="status">
        {[
          of.progress(changed, total),
          ...(refused.length > 0 ? [t('{refused} refused', { refused: refused.length })] : []),
          ...(isOver && left > 0 ? [t('{left} not changed', { left })] : []),
        ].join(', ')}
        .
      </p>
      <ErrorMessage text={error} />
      {isOver && refused.length > 0 && <Refused refused={refused} />}
      {reversible > 0 && (
        <p>
          {t('{items} can be changed back now. Later, do it one by one.', { items: of.counted(reversible) })}
        </p>
      )}
      <div class="row end">
        {isOver && takeBacks.length > 0 && (
          <button type="button" onClick={() => onTakeBack(takeBacks)}>
            {t('Take back')}
          </button>
        )}
        {isOver && undoable.length > 0 && (
          <button type="button" onClick={() => onUndo(undoable)}>
            {t('Undo')}
          </button>
        )}
        <button type="button" onClick={isOver ? onClose : cancel}>
          {isOver ? t('Done') : t('Cancel')}
        </button>
      </div>
    </Dialog>
  );
}

/** Runs until the end, an error, or a cancellation. Both take effect between two calls. */
async function runBatches(
  batches: Batches,
  isCancelled: { readonly current: boolean },
  show: (done: Done) => void,
): Promise<Done> {
  let done = NOTHING_DONE;
  const update = (change: Partial<Done>): void => {
    done = { ...done, ...change };
    show(done);
  };
  try {
    for await (const { done: changed, refused, takeBacks = [], undoable = [], error = null } of batches) {
      update({
        changed: done.changed + changed,
        refused: [...done.refused, ...refused],
        takeBacks: [...done.takeBacks, ...takeBacks],
        undoable: [...done.undoable, ...undoable],
        error,
      });
      if (error !== null || isCancelled.current) break;
    }
    update({ isOver: true });
  } catch (error) {
    update({ isOver: true, error: (error as Error).message });
  }
  return done;
}

/** Refused items that are listed at first. */
const REFUSED_SHOWN = 10;

const Refused = ({ refused }: { refused: RefusedItem[] }) => (
  <Table
    label={t('Refused')}
    rows={refused}
    first={REFUSED_SHOWN}
    keyOf={({ title }) => title}
    columns={[
      { title: t('Refused'), cell: ({ title }) => title },
      { title: t('Why'), cell: ({ reason }) => reason },
    ]}
  />
);
