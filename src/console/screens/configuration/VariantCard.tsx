import { useState } from 'preact/hooks';
import { useApi } from '../../api/useApi.ts';
import { formatNumber, formatShare } from '../../text/format.ts';
import { plural, rangeText, t } from '../../text/translate.ts';
import { Loading } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { Table } from '../../ui/Table.tsx';

const DAYS = [1, 3, 7, 14];
const DAYS_SHOWN = 3;

/** How many users were active after each variant of a template; nothing without variants. */
export function VariantCard({ id }: { id: string }) {
  const [days, setDays] = useState(DAYS_SHOWN);
  const analytics = useApi(`/notifications/templates/${id}/variants`, { days });
  return (
    <Loading of={analytics}>
      {({ variants, method, confidence }) =>
        variants.length > 0 && (
          <Card
            title={t('Variants')}
            note={t(
              'Users who had an event on the day of the message or soon after, in the last 30 days. {confidence}% confidence interval of the difference to the first variant: {method}.',
              { confidence, method },
            )}
            actions={
              <Select
                aria-label={t('Active within')}
                value={String(days)}
                choices={DAYS.map((n) => ({ value: String(n), label: plural(n, '{n} day', '{n} days') }))}
                onChange={(chosen) => setDays(Number(chosen))}
              />
            }
          >
            <Table
              label={t('Variants')}
              rows={variants}
              keyOf={({ variant }) => variant}
              columns={[
                { title: t('Variant'), cell: ({ variant }) => variant },
                { title: t('Sent'), isNumber: true, cell: ({ sent }) => formatNumber(sent) },
                { title: t('Failed'), isNumber: true, cell: ({ failed }) => formatNumber(failed) },
                { title: t('Users'), isNumber: true, cell: ({ users }) => formatNumber(users) },
                { title: t('Active'), isNumber: true, cell: ({ rate }) => formatShare(rate) },
                { title: t('Difference'), isNumber: true, cell: (one) => formatShare(one.difference) },
                {
                  title: t('Interval'),
                  cell: ({ differenceLow: low, differenceHigh: high }) =>
                    low !== null && rangeText(formatShare(low), formatShare(high)),
                },
              ]}
            />
          </Card>
        )
      }
    </Loading>
  );
}
