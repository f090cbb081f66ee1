import { useState } from 'preact/hooks';
import type { Import } from '../../../contract/imports.ts';
import { ADMIN, callApi, fetchApi, saveFile } from '../../api/client.ts';
import { useAction } from '../../api/useAction.ts';
import { LIVE_MS, useList } from '../../api/useApi.ts';
import { formatNumber } from '../../format.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { Instant } from '../../ui/Instant.tsx';
import { ErrorMessage, Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { Table } from '../../ui/Table.tsx';
import { Tag } from '../../ui/Tiles.tsx';

/** Imports that are listed at first, and added by every "Show earlier". */
const PAGE = 50;

/** Files of users and past events that were sent by `laurel import`, with their progress. */
export function Imports() {
  const [max, setMax] = useState(PAGE);
  const imports = useList<Import>('/imports', {}, { max, everyMs: LIVE_MS });
  return (
    <>
      <Loading of={imports}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="Nothing has been imported yet">
              <span>
                <code>laurel import</code> brings users and their past events from elsewhere. The progress is
                shown here.
              </span>
            </Empty>
          ) : (
            <ImportTable imports={all} onChanged={imports.reload} />
          )
        }
      </Loading>
      <ShowMore shown={imports.data?.length} max={max} onClick={() => setMax(max + PAGE)} />
    </>
  );
}

function ImportTable({ imports, onChanged }: { imports: Import[]; onChanged(): void }) {
  return (
    <Table
      label="Imports"
      rows={imports}
      keyOf={({ id }) => id}
      columns={[
        { title: 'File', cell: ({ name, id }) => name || id },
        { title: 'Kind', cell: ({ kind, merge }) => (merge === null ? kind : `${kind}, added`) },
        { title: 'State', cell: ({ state }) => <Tag text={state} /> },
        { title: 'Progress', cell: (one) => <ImportProgress {...one} /> },
        { title: 'Refused', isNumber: true, cell: (one) => <RefusedRows {...one} /> },
        { title: 'Rows/s', isNumber: true, cell: ({ rowsPerSecond }) => formatNumber(rowsPerSecond) },
        { title: 'Begun', cell: ({ created }) => <Instant at={created} /> },
        { title: 'Finished', cell: ({ finished }) => <Instant at={finished} /> },
        { title: '', cell: (one) => <ImportActions of={one} onDone={onChanged} /> },
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

/** The number, and a button that saves the rows with their reasons. */
function RefusedRows({ id, name, rows: { refused } }: Import) {
  const { run, error, isRunning } = useAction();
  if (refused === 0) return <span>0</span>;
  const save = async (): Promise<void> => {
    const response = await fetchApi('GET', `${ADMIN}/imports/${id}/refused`, { accept: 'text/csv' });
    saveFile(`${name || id}.refused.csv`, await response.text(), 'text/csv');
  };
  return (
    <>
      <button
        type="button"
        class="quiet"
        disabled={isRunning}
        aria-label={`Save ${refused} refused rows of ${name || id}`}
        onClick={() => run(save)}
      >
        {formatNumber(refused)}
      </button>
      <ErrorMessage text={error} />
    </>
  );
}

function ImportActions({ of: { id, name, state }, onDone }: { of: Import; onDone(): void }) {
  const act = (action: 'pause' | 'resume' | 'cancel') => (): Promise<Import> =>
    callApi('POST', `${ADMIN}/imports/${id}/${action}`);
  if (state === 'done' || state === 'cancelled') return null;
  const file = <strong>{name || id}</strong>;
  return (
    <div class="row end">
      {/* With keys: the question of one action does not become that of the other when the state changes. */}
      {state === 'paused' ? (
        <Confirm key="resume" label="Resume" done="The import goes on." work={act('resume')} onDone={onDone}>
          The rows of {file} that are left will be applied.
        </Confirm>
      ) : (
        <Confirm key="pause" label="Pause" done="The import is paused." work={act('pause')} onDone={onDone}>
          The service stops to apply {file} within some seconds. You can resume it.
        </Confirm>
      )}
      <Confirm
        key="cancel"
        label="Cancel"
        isDangerous
        done="The import is cancelled."
        work={act('cancel')}
        onDone={onDone}
      >
        What was applied of {file} stays. The rows that are left will be deleted.
      </Confirm>
    </div>
  );
}
