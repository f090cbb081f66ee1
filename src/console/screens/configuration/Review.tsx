import { useState } from 'preact/hooks';
import type { ApiError, Versioned } from '../../api/client.ts';
import { useAction } from '../../api/useAction.ts';
import { announce, type Undo } from '../../ui/announcements.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { changesOf, type Value } from '../../ui/form/schema.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Differences } from './Differences.tsx';

/** Status of the refusal of a change to something that others have changed. */
export const CHANGED = 412;

interface ReviewProps {
  title: string;
  before: Value;
  changes: Value;
  /** Of the version that `before` is from. */
  etag: string | null;
  /** @returns what takes the change back */
  apply(etag: string | null): Promise<Undo>;
  /** What others have made of `before`. */
  readLatest(): Promise<Versioned<Value>>;
  /** Gives the change up and shows the latest. */
  reload(): void;
  onClose(): void;
}

/** The difference, before it is applied. If others were faster, also what they changed, with a choice. */
export function Review({ title, before, changes, etag, apply, readLatest, reload, onClose }: ReviewProps) {
  const { run, error, isRunning } = useAction();
  const [latest, setLatest] = useState<Versioned<Value> | null>(null);
  const names = Object.keys(changes);
  const send = (expected: string | null) => async (): Promise<void> => {
    try {
      announce('Applied. It is in force.', await apply(expected));
    } catch (failure) {
      if ((failure as ApiError).status === CHANGED) setLatest(await readLatest());
      throw failure;
    }
  };
  return (
    <Dialog title={title} isWide onClose={onClose}>
      {names.length === 0 ? (
        <p>Nothing has changed.</p>
      ) : (
        <Differences label="Differences" before={before} changes={changes} />
      )}
      <ErrorMessage text={error} />
      {latest && (
        <>
          <h3>What somebody else changed meanwhile</h3>
          <Differences label="Changes of others" before={before} changes={changesOf(before, latest.value)} />
        </>
      )}
      <div class="row end">
        {latest && (
          <button type="button" onClick={reload}>
            Discard mine and reload
          </button>
        )}
        <button
          type="button"
          class="primary"
          disabled={isRunning || names.length === 0}
          onClick={() => void run(send(latest?.etag ?? etag))}
        >
          {isRunning ? 'Applying…' : latest ? 'Apply mine nevertheless' : 'Apply'}
        </button>
      </div>
    </Dialog>
  );
}
