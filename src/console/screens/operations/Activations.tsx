import type { Activation } from '../../api/types.ts';
import { LIVE_MS, useList } from '../../api/useApi.ts';
import { formatNumber } from '../../text/format.ts';
import { Instant } from '../../ui/Instant.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { Tag } from '../../ui/Tiles.tsx';
import { itemAddress } from '../configuration/itemAddress.ts';

/** Progress of the long-running work that a change of the configuration has started. */
export function Activations() {
  return (
    <ListTable
      of={useList('/activations', {}, { page: 50, everyMs: LIVE_MS })}
      none="No activations yet"
      hint="Activating an achievement, a leaderboard or a points trigger processes what users did before. Progress is shown here."
      label="Activations"
      keyOf={({ version, due }) => `${version} ${due}`}
      columns={[
        {
          title: 'Activated',
          cell: ({ activated }) =>
            activated.map(({ id, item }) => (
              <div key={id}>
                {item ? <a href={itemAddress(item)}>{item.name ?? 'Points trigger'}</a> : 'Deleted item'}
              </div>
            )),
        },
        { title: 'Status', cell: ({ status }) => <Tag text={status} /> },
        { title: 'Progress', cell: (activation) => <ActivationProgress activation={activation} /> },
        { title: 'Due', cell: ({ due }) => <Instant at={due} /> },
        { title: 'Finished', cell: ({ finished }) => <Instant at={finished} /> },
      ]}
    />
  );
}

function ActivationProgress({ activation: { done, total } }: { activation: Activation }) {
  if (total === null) return <span>waiting</span>;
  return (
    <label>
      {formatNumber(done)} of {formatNumber(total)} users
      <progress value={done} max={Math.max(1, total)} />
    </label>
  );
}
