import type { Activation } from '../../api/types.ts';
import { LIVE_MS, useList } from '../../api/useApi.ts';
import { t } from '../../text/translate.ts';
import { Instant } from '../../ui/Instant.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { StatusTag } from '../../ui/Tiles.tsx';
import { itemAddress } from '../configuration/itemAddress.ts';

/** Progress of the long-running work that a change of the configuration has started. */
export function Activations() {
  return (
    <ListTable
      of={useList('/activations', {}, { page: 50, everyMs: LIVE_MS })}
      none={t('No activations yet')}
      hint={t(
        'Activating an achievement, a leaderboard or a points trigger processes what users did before. Progress is shown here.',
      )}
      label={t('Activations')}
      keyOf={({ version, due }) => `${version} ${due}`}
      columns={[
        {
          title: t('Activated'),
          cell: ({ activated }) =>
            activated.map(({ id, item }) => (
              <div key={id}>
                {item ? (
                  <a href={itemAddress(item)}>{item.name ?? t('Points trigger')}</a>
                ) : (
                  t('Deleted item')
                )}
              </div>
            )),
        },
        { title: t('Status'), cell: ({ status }) => <StatusTag status={status} /> },
        { title: t('Progress'), cell: (activation) => <ActivationProgress activation={activation} /> },
        { title: t('Due'), cell: ({ due }) => <Instant at={due} /> },
        { title: t('Finished'), cell: ({ finished }) => <Instant at={finished} /> },
      ]}
    />
  );
}

function ActivationProgress({ activation: { done, total } }: { activation: Activation }) {
  if (total === null) return <span>{t('waiting')}</span>;
  return (
    <label>
      {t('{done} of {total} users', { done, total })}
      <progress value={done} max={Math.max(1, total)} />
    </label>
  );
}
