import type { Import } from '../../../contract/imports.ts';
import { callApi, fetchApi, saveFile } from '../../api/client.ts';
import { LIVE_MS, useList } from '../../api/useApi.ts';
import { formatNumber } from '../../text/format.ts';
import { rich } from '../../text/richText.ts';
import { t, translated } from '../../text/translate.ts';
import { ActionButton } from '../../ui/ActionButton.tsx';
import { Confirm } from '../../ui/Confirm.tsx';
import { Instant } from '../../ui/Instant.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { StatusTag } from '../../ui/Tiles.tsx';

/** Files of users and past events that `laurel import` has sent, with their progress. */
export function Imports() {
  const imports = useList('/imports', {}, { page: 50, everyMs: LIVE_MS });
  return (
    <ListTable
      of={imports}
      none={t('No imports yet')}
      hint={
        <span>
          {rich(t('{code} imports users and their past events. Progress is shown here.'), {
            code: <code>laurel import</code>,
          })}
        </span>
      }
      label={t('Imports')}
      keyOf={({ id }) => id}
      columns={[
        { title: t('File'), cell: ({ name, id }) => name || id },
        {
          title: t('Kind'),
          cell: ({ kind, merge }) =>
            merge === null ? translated(kind) : t('{kind}, added', { kind: translated(kind) }),
        },
        { title: t('State'), cell: ({ state }) => <StatusTag status={state} /> },
        { title: t('Progress'), cell: (one) => <ImportProgress {...one} /> },
        { title: t('Refused'), isNumber: true, cell: (one) => <RefusedRows {...one} /> },
        { title: t('Rows/s'), isNumber: true, cell: ({ rowsPerSecond }) => formatNumber(rowsPerSecond) },
        { title: t('Started'), cell: ({ created }) => <Instant at={created} /> },
        { title: t('Finished'), cell: ({ finished }) => <Instant at={finished} /> },
        { title: '', cell: (one) => <ImportActions of={one} onDone={imports.reload} /> },
      ]}
    />
  );
}

function ImportProgress({ state, rows: { received, applied, refused } }: Import) {
  if (state === 'receiving') return <span>{t('{received} rows received', { received })}</span>;
  return (
    <label>
      {t('{applied} of {received} rows applied', { applied, received })}
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
    <ActionButton
      class="quiet"
      aria-label={t('Save {refused} refused rows of {file}', { refused, file: name || id })}
      work={save}
    >
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
        <Confirm
          key="resume"
          label={t('Resume')}
          done={t('Import resumed.')}
          work={act('resume')}
          onDone={onDone}
        >
          {rich(t('The remaining rows of {file} will be applied.'), { file })}
        </Confirm>
      ) : (
        <Confirm
          key="pause"
          label={t('Pause')}
          done={t('Import paused.')}
          work={act('pause')}
          onDone={onDone}
        >
          {rich(t('laurel stops applying {file} within a few seconds. You can resume the import later.'), {
            file,
          })}
        </Confirm>
      )}
      <Confirm
        key="cancel"
        label={t('Cancel')}
        isDangerous
        done={t('Import cancelled.')}
        work={act('cancel')}
        onDone={onDone}
      >
        {rich(t('The applied rows of {file} are kept. The remaining rows are deleted.'), { file })}
      </Confirm>
    </div>
  );
}
