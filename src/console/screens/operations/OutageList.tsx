import { useState } from 'preact/hooks';
import type { RecordedOutage } from '../../../contract/outages.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { formatDuration } from '../../format.ts';
import { LEVEL_TAGS, outageLevel, outageText } from '../../health.ts';
import { Instant } from '../../ui/Instant.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { Table } from '../../ui/Table.tsx';

/** Outages that are listed at first. */
const SHOWN = 10;

/** What was wrong for longer than a minute. */
export function OutageList() {
  const outages = useApi<RecordedOutage[]>('/outages', {}, { everyMs: LIVE_MS });
  const [isWhole, setWhole] = useState(false);
  return (
    <Loading of={outages}>
      {(all) =>
        all.length === 0 ? (
          <p class="soft">Nothing was wrong for longer than a minute since the installation.</p>
        ) : (
          <>
            <Table
              label="Recent outages"
              rows={isWhole ? all : all.slice(0, SHOWN)}
              keyOf={({ cause, began }) => `${cause} ${began}`}
              columns={[
                { title: 'What', cell: (one) => <Cause outage={one} /> },
                { title: 'Began', cell: ({ began }) => <Instant at={began} /> },
                {
                  title: 'Ended',
                  cell: ({ ended }) => (ended ? <Instant at={ended} /> : <span class="tag bad">lasts</span>),
                },
                { title: 'Length', isNumber: true, cell: ({ seconds }) => formatDuration(seconds) },
              ]}
            />
            {!isWhole && all.length > SHOWN && (
              <ShowMore label="Show all" shown={SHOWN} max={SHOWN} onClick={() => setWhole(true)} />
            )}
          </>
        )
      }
    </Loading>
  );
}

const Cause = ({ outage }: { outage: RecordedOutage }) => (
  <>
    <span class={`tag ${LEVEL_TAGS[outageLevel(outage)]}`}>{outageLevel(outage)}</span> {outageText(outage)}
  </>
);
