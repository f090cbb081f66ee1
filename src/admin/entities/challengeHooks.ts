import { dateOfDay } from '../../rules/calendar.ts';
import { withSince } from '../../rules/challenges/goals.ts';
import type { KindHooks } from '../kinds/kindHooks.ts';

export const challengeHooks: KindHooks<'challenges'> = {
  defaults: ({ today }) => ({ start: dateOfDay(today) }),
  complete: (body, _given, before, { now }) => withSince(body, before, now),
  fromFile: (body, item, { stored, date, now }) =>
    withSince({ ...body, start: item.start ?? stored?.start ?? date }, stored ?? null, now),
};
