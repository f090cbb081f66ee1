import { reasonText } from '../../../base/suppressions.ts';
import { LIVE_MS, useList } from '../../api/useApi.ts';
import { formatInstant, words } from '../../text/format.ts';
import { ListTable } from '../../ui/Listing.tsx';
import { Card } from '../../ui/Page.tsx';
import { Tag } from '../../ui/Tiles.tsx';

const SHOWN = 8;

/** What was sent to a user, and what was not, and why. */
export function UserMessages({ id, timeZone }: { id: string; timeZone: string | null }) {
  const deliveries = useList('/notifications/deliveries', { userId: id }, { page: SHOWN, everyMs: LIVE_MS });
  return (
    <Card
      title="Messages"
      note="Emails and push notifications of the last 30 days, also those that were not sent."
    >
      <ListTable
        of={deliveries}
        none="No messages yet"
        label="Messages"
        keyOf={({ id: delivery }) => delivery}
        columns={[
          {
            title: 'Message',
            cell: ({ type, channel, finished, due, reason }) => (
              <>
                {words(type)}, {channel}
                <div class="soft small">{formatInstant(finished ?? due, timeZone)}</div>
                {reason && <div class="small">{reasonText(reason)}</div>}
              </>
            ),
          },
          {
            title: 'Status',
            cell: ({ status }) => <Tag text={status === 'suppressed' ? 'not sent' : status} />,
          },
        ]}
      />
    </Card>
  );
}
