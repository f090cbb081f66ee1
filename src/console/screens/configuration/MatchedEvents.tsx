import type { MatchEvents } from '../../../contract/configured/matchedEvents.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { count, formatNumber } from '../../text/format.ts';
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
  if (error !== null) return <p class="soft small">The condition cannot be tried: {error}</p>;
  if (matched === null) return null;
  const { events, matching, examples } = matched;
  if (events === 0)
    return <p class="soft small">The metric has no events yet on which to try the condition.</p>;
  return (
    <section class="stack" aria-label="The condition on the latest events">
      <p>
        The condition holds for <strong>{formatNumber(matching)}</strong> of the last {count(events, 'event')}
        .
      </p>
      <Table
        label="Latest events"
        rows={examples}
        keyOf={({ eventId }) => eventId}
        columns={[
          { title: 'Counts', cell: ({ matches }) => (matches ? 'Yes' : 'No') },
          { title: 'User', cell: ({ userId, name }) => <UserLink id={userId} name={name} /> },
          { title: 'When', cell: ({ at }) => <Instant at={at} /> },
          { title: 'Value', isNumber: true, cell: ({ value: of }) => formatNumber(of) },
          { title: 'Attributes', cell: ({ attributes }) => pairsOf(attributes) },
        ]}
      />
    </section>
  );
}

const pairsOf = (attributes: Record<string, string>): string =>
  Object.entries(attributes)
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ');
