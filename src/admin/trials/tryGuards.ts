import { readTriedEvents, type TriedEvent } from '../../db/trials/triedEvents.ts';
import type { ScriptGuards } from '../../rules/scriptRules.ts';
import { GuardedUser, type GuardFate } from './guardedUser.ts';
import { refuseTrial, type Trial, type TriedItem } from './trial.ts';

/** The guards of a metric: how many events they would have held, refused or reduced. */
export function tryGuards({ rules, item, replaced }: TriedItem<'metrics'>): Trial {
  if (replaced === null) throw refuseTrial('a new metric has no events yet');
  const { guards } = rules.scriptRules({ kind: 'event', metric: item });
  return {
    audience: [],
    leavesOut: [
      ...(replaced.guards === null
        ? []
        : ['Events that the present guards refused, and what they took from values: neither was kept.']),
      'What counted before these days.',
      'Time zones of users, for events that were held.',
    ],
    examine: async ({ rows, users, window }) => {
      const events = await readTriedEvents(rows, rules, { metric: item.no, users, window });
      const fates = fatesOf(events, guards);
      const count = (fate: GuardFate): number => fates.filter((one) => one === fate).length;
      const stopped = new Map<string, number>();
      events.forEach(({ userId }, i) => {
        if (fates[i] !== 'counted') stopped.set(userId, (stopped.get(userId) ?? 0) + 1);
      });
      const held = events.filter(({ isHeld }) => isHeld);
      const nameOf = new Map(users.map(({ userId, name }) => [userId, name]));
      return {
        figures: [
          { name: 'events', of: null, before: null, after: events.length },
          { name: 'eventsHeld', of: null, before: held.length, after: count('held') },
          { name: 'eventsRefused', of: null, before: null, after: count('refused') },
          { name: 'eventsReduced', of: null, before: null, after: count('reduced') },
        ],
        examples: [...stopped].map(([userId, after]) => ({
          userId,
          name: nameOf.get(userId) ?? null,
          at: null,
          before: held.filter((event) => event.userId === userId).length,
          after,
        })),
      };
    },
  };
}

/** What would have become of each event; those of a user stand together, in the order of arrival. */
function fatesOf(events: readonly TriedEvent[], guards: ScriptGuards | false): GuardFate[] {
  let user: GuardedUser | null = null;
  let userId: string | null = null;
  return events.map((event) => {
    if (guards === false) return 'counted';
    if (user === null || event.userId !== userId) user = new GuardedUser(guards);
    userId = event.userId;
    return user.take(event);
  });
}
