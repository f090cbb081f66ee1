import type { MatchEvents } from '../../../contract/configured/matchedEvents.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { formatNumber } from '../../text/format.ts';
import { rich } from '../../text/richText.ts';
import { plural, t } from '../../text/translate.ts';
import type { Value } from '../../ui/form/schema.ts';
import { Instant } from '../../ui/Instant.tsx';
import { Table } from '../../ui/Table.tsx';
import { UserLink } from '../users/userAddress.tsx';
import { useTried } from './useTried.ts';

type Matched = ResponseOf<typeof MatchEvents>;

/** Tries the condition of a form on the latest events of its metric while somebody edits it. */
export function MatchedEvents({ value }: { value: Value }) {
  const { metricId, where, eventAttributes } = value;
  const body = metricId && where ? JSON.stringify({ metricId, where, eventAttributes }) : null;
  const { answer: matched, error } = useTried<Matched>('/metrics/match', body);
  if (error !== null)
    return <p class="soft small">{t('The condition cannot be tried: {error}', { error })}</p>;
  if (matched === null) return null;
  const { events, matching, examples } = matched;
  if (events === 0)
    return <p class="soft small">{t('The metric has no events yet on which to try the condition.')}</p>;
  return (
    <section class="stack" aria-label={t('The condition on the latest events')}>
      <p>
        {rich(
          plural(
            events,
            'The condition holds for {matching} of the last {n} event.',
            'The condition holds for {matching} of the last {n} events.',
          ),
          { matching: <strong>{formatNumber(matching)}</strong> },
        )}
      </p>
      <Table
        label={t('Latest events')}
        rows={examples}
        keyOf={({ eventId }) => eventId}
        columns={[
          { title: t('Counts'), cell: ({ matches }) => (matches ? t('Yes') : t('No')) },
          { title: t('User'), cell: ({ userId, name }) => <UserLink id={userId} name={name} /> },
          { title: t('When'), cell: ({ at }) => <Instant at={at} /> },
          { title: t('Value'), isNumber: true, cell: ({ value: of }) => formatNumber(of) },
          { title: t('Attributes'), cell: ({ attributes }) => pairsOf(attributes) },
        ]}
      />
    </section>
  );
}

const pairsOf = (attributes: Record<string, string>): string =>
  Object.entries(attributes)
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ');
