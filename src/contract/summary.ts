import Type from 'typebox';
import { CalendarDate, calendarDate, Double, double } from './schemas.ts';

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
    date: calendarDate('First day of the period.'),
    total: double('Total at the end of the period.'),
    change: Double,
  }),
  { $id: 'EventSummary' },
);
export type EventSummary = Type.Static<typeof EventSummary>;
