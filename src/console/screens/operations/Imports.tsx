import type { Import } from '../../../contract/imports.ts';
import { callApi, fetchApi, saveFile } from '../../api/client.ts';
import { LIVE_MS, useList } from '../../api/useApi.ts';
import { formatNumber } from '../../text/format.ts';
import { ActionButton } from '../../ui/ActionButton.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { Instant } from '../../ui/Instant.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { Tag } from '../../ui/Tiles.tsx';

/** Files of users and past events that `laurel import` has sent, with their progress. */
export function Imports() {
  const imports = useList('/imports', {}, { page: 50, everyMs: LIVE_MS });
  return (
    <ListTable
      of={imports}
      none="No imports yet"
      hint={
        <span>
          <code>laurel import</code> imports users and their past events. Progress is shown here.
        </span>
      }
      label="Imports"
      keyOf={({ id }) => id}
      columns={[
        { title: 'File', cell: ({ name, id }) => name || id },
        { title: 'Kind', cell: ({ kind, merge }) => (merge === null ? kind : `${kind}, added`) },
        { title: 'State', cell: ({ state }) => <Tag text={state} /> },
        { title: 'Progress', cell: (one) => <ImportProgress {...one} /> },
        { title: 'Refused', isNumber: true, cell: (one) => <RefusedRows {...one} /> },
        { title: 'Rows/s', isNumber: true, cell: ({ rowsPerSecond }) => formatNumber(rowsPerSecond) },
        { title: 'Started', cell: ({ created }) => <Instant at={created} /> },
        { title: 'Finished', cell: ({ finished }) => <Instant at={finished} /> },
        { title: '', cell: (one) => <ImportActions of={one} onDone={imports.reload} /> },
      ]}
    />
  );
}

function ImportProgress({ state, rows: { received, applied, refused } }: Import) {
  if (state === 'receiving') return <span>{formatNumber(received)} rows received</span>;
  return (
    <label>
      {formatNumber(applied)} of {formatNumber(received)} rows applied
      <progress value={applied + refused} max={Math.max(1, received)} />
    </label>
  );
}

/** The number of refused rows, which saves them with their reasons. */
function RefusedRows({ id, name, rows: { refused } }: Import) {
  if (refused === 0) return <span>0</span>;
  const save = async (): Promise<void> => {
    const response = await fetchApi('GET', `/imports/${id}/refused`, { accept: 'text/csv' });
    saveFile(`${name || id}.refused.csv`, await response.text(), 'text/csv');
  };
  return (
    <ActionButton class="quiet" aria-label={`Save ${refused} refused rows of ${name || id}`} work={save}>
      {formatNumber(refused)}
    </ActionButton>
  );
}

function ImportActions({ of: { id, name, state }, onDone }: { of: Import; onDone(): void }) {
  const act = (action: 'pause' | 'resume' | 'cancel') => (): Promise<Import> =>
    callApi('POST', `/imports/${id}/${action}`);
  if (state === 'done' || state === 'cancelled') return null;
  const file = <strong>{name || id}</strong>;
  return (
    <div class="row end">
      {/* The keys keep an open question from turning into another one when the state changes. */}
      {state === 'paused' ? (
        <Confirm key="resume" label="Resume" done="Import resumed." work={act('resume')} onDone={onDone}>
          The remaining rows of {file} will be applied.
        </Confirm>
      ) : (
        <Confirm key="pause" label="Pause" done="Import paused." work={act('pause')} onDone={onDone}>
          laurel stops applying {file} within a few seconds. You can resume the import later.
        </Confirm>
      )}
      <Confirm
        key="cancel"
        label="Cancel"
        isDangerous
        done="Import cancelled."
        work={act('cancel')}
        onDone={onDone}
      >
        The applied rows of {file} are kept. The remaining rows are deleted.
      </Confirm>
    </div>
  );
}
