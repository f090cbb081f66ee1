import { reasonText } from '../../../base/suppressions.ts';
import { LIVE_MS, useList } from '../../api/useApi.ts';
import { formatInstant } from '../../text/format.ts';
import { nameInContract, t, translated } from '../../text/translate.ts';
import { ListTable } from '../../ui/Listing.tsx';
import { Card } from '../../ui/Page.tsx';
import { StatusTag } from '../../ui/Tiles.tsx';

const SHOWN = 8;

/** What was sent to a user, and what was not, and why. */
export function UserMessages({ id, timeZone }: { id: string; timeZone: string | null }) {
  const deliveries = useList('/notifications/deliveries', { userId: id }, { page: SHOWN, everyMs: LIVE_MS });
  return (
    <Card
      title={t('Messages')}
      note={t('Emails and push notifications of the last 30 days, also those that were not sent.')}
    >
      <ListTable
        of={deliveries}
        none={t('No messages yet')}
        label={t('Messages')}
        keyOf={({ id: delivery }) => delivery}
        columns={[
          {
            title: t('Message'),
            cell: ({ type, channel, template, variant, finished, due, reason }) => (
              <>
                {nameInContract(type)}, {translated(channel)}
                <div class="soft small">{formatInstant(finished ?? due, timeZone)}</div>
                {template && (
                  <div class="small">
                    {template.name ?? template.id}
                    {variant && ` (${variant})`}
                  </div>
                )}
                {reason && <div class="small">{translated(reasonText(reason))}</div>}
              </>
            ),
          },
          {
            title: t('Status'),
            cell: ({ status }) => <StatusTag status={status === 'suppressed' ? 'not sent' : status} />,
          },
        ]}
      />
    </Card>
  );
}
