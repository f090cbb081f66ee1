import type { Versioned } from '../../api/client.ts';
import { useVersioned } from '../../api/useApi.ts';
import { changesOf, type Value } from '../../ui/form/schema.ts';
import { Differences } from './Differences.tsx';

const LOOK_AGAIN_MS = 5_000;

interface ChangedMeanwhileProps<T extends Value> {
  /** Where the API has what the form changes. */
  path: string;
  /** What the form began with. */
  read: Versioned<T>;
  /** The part of an answer that the form shows. */
  formValue(value: T): Value;
  reload(): void;
}

/** Shows what somebody else has changed since the form was opened. */
export function ChangedMeanwhile<T extends Value>({
  path,
  read,
  formValue,
  reload,
}: ChangedMeanwhileProps<T>) {
  const latest = useVersioned<T>(path, { everyMs: LOOK_AGAIN_MS }).data;
  const before = formValue(read.value);
  const changes = latest ? changesOf(before, formValue(latest.value)) : {};
  if (Object.keys(changes).length === 0) return null;
  return (
    <div class="warning stack" role="status">
      <strong>Somebody else has changed this meanwhile.</strong>
      <Differences label="Changes of others" before={before} changes={changes} />
      <div>
        <button type="button" onClick={reload}>
          Show the latest
        </button>
      </div>
    </div>
  );
}
