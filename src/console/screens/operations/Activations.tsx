import { useState } from 'preact/hooks';
import type { Activation } from '../../api/types.ts';
import { LIVE_MS, useList } from '../../api/useApi.ts';
import { formatNumber } from '../../format.ts';
import { Instant } from '../../ui/Instant.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { Table } from '../../ui/Table.tsx';
import { Tag } from '../../ui/Tiles.tsx';

/** Activations that are listed at first, and added by every "Show earlier". */
const PAGE = 50;

/** Long work that a change of the configuration started, with its progress. */
export function Activations() {
  const [max, setMax] = useState(PAGE);
  const activations = useList<Activation>('/activations', {}, { max, everyMs: LIVE_MS });
  return (
    <>
      <Loading of={activations}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="Nothing has been activated yet">
              <span>
                Activated achievements and leaderboards take in what users did before. The progress is shown
                here.
              </span>
            </Empty>
          ) : (
            <Table
              label="Activations"
              rows={all}
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
          )
        }
      </Loading>
      <ShowMore shown={activations.data?.length} max={max} onClick={() => setMax(max + PAGE)} />
    </>
  );
}

function ActivatedLink({ kind, id }: { kind: string; id: string }) {
  const items = useList<{ id: string; name: string }>(`/${kind}`).data;
  const name = items?.find((item) => item.id === id)?.name ?? 'deleted item';
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
