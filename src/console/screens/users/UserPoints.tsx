import { useState } from 'preact/hooks';
import { AWARDS_PER_READ_MAX } from '../../../base/limits.ts';
import { partOf, useList } from '../../api/useApi.ts';
import { formatInstant, formatNumber } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import { choicesOf } from '../../ui/form/schema.ts';
import { ListTable } from '../../ui/Listing.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { triggerText } from '../points/triggerText.ts';
import { useUserApi } from './userAddress.tsx';

/** The latest awards of a user with their causes. */
export function UserPoints({ id, timeZone }: { id: string; timeZone: string | null }) {
  const systems = useList('/points', { status: 'active' });
  const [chosen, setChosen] = useState<string | null>(null);
  const system = systems.data?.find(({ key }) => key === chosen) ?? systems.data?.[0];
  if (system === undefined) return <Loading of={systems}>{() => null}</Loading>;
  const choices = choicesOf(systems.data ?? []);
  const choice = choices.length > 1 && (
    <Select aria-label={t('Points system')} value={system.key} choices={choices} onChange={setChosen} />
  );
  return (
    <Card title={t('Awarded points')} actions={choice}>
      <Awards key={system.key} id={id} system={system} timeZone={timeZone} />
    </Card>
  );
}

interface AwardsProps {
  id: string;
  system: { key: string; name: string };
  timeZone: string | null;
}

function Awards({ id, system: { key, name }, timeZone }: AwardsProps) {
  const [max, setMax] = useState(12);
  const points = useUserApi(id, `/points/${encodeURIComponent(key)}`, { awards: max });
  const mayBeMore = points.data?.awards.length === max;
  const isLimit = max === AWARDS_PER_READ_MAX;
  const showMore = mayBeMore && !isLimit ? () => setMax(AWARDS_PER_READ_MAX) : undefined;
  return (
    <>
      <ListTable
        of={{ ...partOf(points, ({ awards }) => awards), showMore }}
        none={t('No points awarded yet')}
        label={t('Awards of {name}', { name })}
        keyOf={(award) => award.id ?? `${award.date} ${award.total}`}
        columns={[
          {
            title: t('Cause'),
            cell: ({ trigger, boosts = [], date }) => (
              <>
                {triggerText(trigger ?? null)}
                {boosts.map((boost) => ` × ${boost.multiplier} (${boost.name})`).join('')}
                <div class="soft small">{formatInstant(date, timeZone)}</div>
              </>
            ),
          },
          { title: t('Points'), isNumber: true, cell: ({ awarded }) => formatNumber(awarded) },
          { title: t('Total'), isNumber: true, cell: ({ total }) => formatNumber(total) },
        ]}
      />
      {mayBeMore && isLimit && <p class="soft small">{t('Earlier awards are in the timeline.')}</p>}
    </>
  );
}
