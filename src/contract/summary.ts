import Type from 'typebox';
import { CalendarDate, Double } from './schemas.ts';

/** Query of the event summaries. Both days are included. */
export const EventSummaryQuery = Type.Object({
  aggregation: Type.Enum(['daily', 'weekly', 'monthly'], {
    description: 'Length of the period of each item.',
  }),
  startDate: CalendarDate,
  endDate: CalendarDate,
});

export const EventSummary = Type.Array(
  Type.Object({
    date: Type.String({ format: 'date', description: 'First day of the period.' }),
    total: Type.Number({ format: 'double', description: 'Total at the end of the period.' }),
    change: Double,
  }),
  { $id: 'EventSummary' },
);
export type EventSummary = Type.Static<typeof EventSummary>;
