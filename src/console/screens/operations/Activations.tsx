import type { Activation } from '../../api/types.ts';
import { LIVE_MS, useList } from '../../api/useApi.ts';
import { formatNumber } from '../../text/format.ts';
import { Instant } from '../../ui/Instant.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { Tag } from '../../ui/Tiles.tsx';

/** Progress of the long-running work that a change of the configuration has started. */
export function Activations() {
  return (
    <ListTable
      of={useList('/activations', {}, { page: 50, everyMs: LIVE_MS })}
      none="No activations yet"
      hint="Activating an achievement or a leaderboard processes what users did before. Progress is shown here."
      label="Activations"
      keyOf={({ version, due }) => `${version} ${due}`}
      columns={[
        {
          title: 'Activated',
          cell: ({ activated }) =>
            activated.map(({ kind, id }) => <ActivatedLink key={id} kind={kind} id={id} />),
        },
        { title: 'Status', cell: ({ status }) => <Tag text={status} /> },
        { title: 'Progress', cell: (activation) => <ActivationProgress activation={activation} /> },
        { title: 'Due', cell: ({ due }) => <Instant at={due} /> },
        { title: 'Finished', cell: ({ finished }) => <Instant at={finished} /> },
      ]}
    />
  );
}

function ActivatedLink({ kind, id }: { kind: string; id: string }) {
  const items = useList<string, { id: string; name: string }>(`/${kind}`).data;
  const name = items?.find((item) => item.id === id)?.name ?? 'Deleted item';
  return (
    <div>
      <a href={`/console/configuration/${kind}/${id}`}>{name}</a>
    </div>
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
