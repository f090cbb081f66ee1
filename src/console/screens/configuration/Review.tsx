import { useState } from 'preact/hooks';
import type { ApiError, Versioned } from '../../api/client.ts';
import { useVersioned } from '../../api/useApi.ts';
import { t } from '../../text/translate.ts';
import { announce, type Undo } from '../../ui/announcements.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { labelOf } from '../../ui/form/labels.ts';
import { changesOf, type Value } from '../../ui/form/schema.ts';
import { ValueText } from '../../ui/form/ValueText.tsx';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Table } from '../../ui/Table.tsx';
import { useAction } from '../../ui/useAction.ts';

/** Status of an answer that refuses to overwrite changes of others. */
export const CHANGED = 412;

interface ReviewProps {
  title: string;
  before: Value;
  changes: Value;
  /** Of the version of `before`. */
  etag: string | null;
  /** @returns the undo of the change */
  apply(etag: string | null): Promise<Undo>;
  /** Reads the current version of `before`. */
  readLatest(): Promise<Versioned<Value>>;
  /** Discards the change and shows the current version. */
  reload(): void;
  onClose(): void;
}

/** The differences before they are applied. If others have changed the same meanwhile, also their changes. */
export function Review({ title, before, changes, etag, apply, readLatest, reload, onClose }: ReviewProps) {
  const { run, error, isRunning } = useAction();
  const [latest, setLatest] = useState<Versioned<Value> | null>(null);
  const names = Object.keys(changes);
  const send = (expected: string | null) => async (): Promise<void> => {
    try {
      announce(t('Changes applied.'), await apply(expected));
    } catch (failure) {
      if ((failure as ApiError).status === CHANGED) setLatest(await readLatest());
      throw failure;
    }
  };
  return (
    <Dialog title={title} isWide onClose={onClose}>
      {names.length === 0 ? (
        <p>{t('No changes.')}</p>
      ) : (
        <Differences label={t('Differences')} before={before} changes={changes} />
      )}
      <ErrorMessage text={error} />
      {latest && (
        <>
          <h3>{t('Changes by others')}</h3>
          <Differences
            label={t('Changes by others')}
            before={before}
            changes={changesOf(before, latest.value)}
          />
        </>
      )}
      <div class="row end">
        {latest && (
          <button type="button" onClick={reload}>
            {t('Discard my changes and reload')}
          </button>
        )}
        <button
          type="button"
          class="primary"
          disabled={isRunning || names.length === 0}
          onClick={() => void run(send(latest?.etag ?? etag))}
        >
          {isRunning ? t('Applying…') : latest ? t('Apply my changes anyway') : t('Apply')}
        </button>
      </div>
    </Dialog>
  );
}

const LOOK_AGAIN_MS = 5_000;

interface ChangedMeanwhileProps<T extends Value> {
  /** Of the form in the API. */
  path: string;
  /** Initial values of the form. */
  read: Versioned<T>;
  /** The part of an answer that the form shows. */
  formValue(value: T): Value;
  reload(): void;
}

/** Shows what others have changed since the form was opened. */
export function ChangedMeanwhile<T extends Value>(props: ChangedMeanwhileProps<T>) {
  const { path, read, formValue, reload } = props;
  const latest = useVersioned<string, T>(path, { everyMs: LOOK_AGAIN_MS }).data;
  const before = formValue(read.value);
  const changes = latest ? changesOf(before, formValue(latest.value)) : {};
  if (Object.keys(changes).length === 0) return null;
  return (
    <div class="warning stack" role="status">
      <strong>{t('Someone else has changed this meanwhile.')}</strong>
      <Differences label={t('Changes by others')} before={before} changes={changes} />
      <div>
        <button type="button" onClick={reload}>
          {t('Load the latest version')}
        </button>
      </div>
    </div>
  );
}

/** Fields with their values before and after; new items have only the latter. */
export function Differences({ label, before, changes }: { label: string; before: Value; changes: Value }) {
  const isNew = Object.keys(before).length === 0;
  const old = {
    title: t('Before'),
    cell: (name: string) => (
      <del>
        <ValueText path={[name]} value={before[name]} />
      </del>
    ),
  };
  return (
    <div class="diff">
      <Table
        label={label}
        rows={Object.keys(changes)}
        keyOf={(name) => name}
        columns={[
          { title: t('Field'), cell: (name) => labelOf([name]) },
          ...(isNew ? [] : [old]),
          {
            title: isNew ? t('Value') : t('After'),
            cell: (name) => (
              <ins>
                <ValueText path={[name]} value={changes[name]} />
              </ins>
            ),
          },
        ]}
      />
    </div>
  );
}
