import { assertFilter, matchEvents as matchLatest } from '../../admin/trials/matchEvents.ts';
import { MATCHED_DAYS, MATCHED_EVENTS_MAX, MATCHED_USERS_MAX } from '../../base/trialLimits.ts';
import { MatchEvents } from '../../contract/configured/matchedEvents.ts';
import { readLatestEvents } from '../../db/trials/latestEvents.ts';
import { readUserStates } from '../../redis/state/currentStates.ts';
import { latestUsers } from '../../redis/state/statistics.ts';
import { DAY_MS } from '../../rules/calendar.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { notFound } from '../request/refuse.ts';

/** Tries a condition on the latest events of a metric, by the users who were active last. */
export const matchEvents = endpoint(MatchEvents, async ({ service, rules, body }) => {
  const { redis, cells, clock, history, trials } = service;
  const { tenant } = rules;
  const { metricId, where } = body;
  const metric = rules.config.metrics.find(({ id }) => id === metricId);
  if (metric === undefined) throw notFound(`There is no metric with id ${metricId}`);
  const filter = { where, eventAttributes: body.eventAttributes ?? [] };
  assertFilter(rules, filter);
  return trials.run(async () => {
    const users = await latestUsers(redis, tenant, cells, MATCHED_USERS_MAX);
    const since = clock.now() - MATCHED_DAYS * DAY_MS;
    const events = await history.read(tenant, (rows) =>
      readLatestEvents(rows, rules, { metric: metric.no, users, since, limit: MATCHED_EVENTS_MAX }),
    );
    const ids = [...new Set(events.map(({ userId }) => userId))];
    const states = await readUserStates(redis, tenant, cells, ids);
    const known = ids.flatMap((id, i) => (states[i] ? [[id, states[i]] as const] : []));
    return ok(matchLatest(rules, filter, events, new Map(known)));
  });
});
