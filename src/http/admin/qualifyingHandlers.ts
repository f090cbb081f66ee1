import { QUALIFYING_SAMPLE_USERS_MAX } from '../../base/consoleLimits.ts';
import { CountQualifying } from '../../contract/configured/qualifying.ts';
import { ACHIEVEMENT } from '../../contract/kinds/achievementKind.ts';
import { chosenFields } from '../../contract/kinds/kindSchemas.ts';
import { prerequisitesOf } from '../../contract/kinds/prerequisites.ts';
import { readCounterHistory } from '../../db/users/readCounterHistory.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { sampleUserStates, type UserSample } from '../../redis/state/currentStates.ts';
import { isComputed } from '../../rules/counting.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { hasAttributes, type Qualification, qualifies } from '../../views/userAchievements.ts';
import { endpoint, type OperationRequest, ok } from '../request/endpoint.ts';
import { invalid } from '../request/refuse.ts';
import type { Service } from '../request/service.ts';

type Body = OperationRequest<typeof CountQualifying>['body'];

export const countQualifying = endpoint(CountQualifying, async ({ service, rules, body }) => {
  const { redis, cells, clock } = service;
  const condition = conditionOf(rules, body);
  const sample = await sampleUserStates(redis, rules.tenant, cells, QUALIFYING_SAMPLE_USERS_MAX);
  const { users } = sample;
  const sampled = sample.sampled.length;
  if (condition.trigger === 'api') return ok({ users, sampled, qualifying: null });
  const now = clock.now();
  const meets = await countedBefore(service, rules, condition, sample.sampled);
  const found = sample.sampled.filter(
    ({ id, state }) => qualifies(rules, condition, state, now) || meets(id, state),
  ).length;
  return ok({ users, sampled, qualifying: sampled === 0 ? 0 : Math.round((found / sampled) * users) });
});

/**
 * Finds users who have reached a total with a condition, an aggregate or a filter. Perhaps no counter has
 * counted so yet; a new one is filled from the history.
 */
async function countedBefore(
  { history }: Service,
  rules: Rules,
  condition: Qualification,
  sampled: UserSample['sampled'],
): Promise<(id: string, state: UserState) => boolean> {
  const { trigger, metricId, metricValue, eventAttributes } = condition;
  if (trigger !== 'metric' || (!isComputed(condition) && eventAttributes.length === 0)) return () => false;
  const counter = { ...condition, metricId: metricId! };
  const users = sampled.map(({ id }) => id);
  const periods = await readCounterHistory(history.rare, rules, counter, users);
  const reached = new Set(periods.flatMap(({ userId, peak }) => (peak >= metricValue! ? userId : [])));
  return (id, state) => reached.has(id) && hasAttributes(rules, condition, state);
}

/** @throws ServiceError `invalid` if something is missing or unknown */
function conditionOf({ config }: Rules, body: Body): Qualification {
  const { table } = chosenFields(ACHIEVEMENT)!;
  const missing = table[body.trigger]!.needs.find((field) => (body[field as keyof Body] ?? null) === null);
  if (missing) throw invalid(`${missing} is required for the trigger ${body.trigger}`);
  const { userAttributes = [], eventAttributes = [] } = body;
  const achievementIds = body.achievementIds ?? [];
  const condition: Qualification = {
    trigger: body.trigger,
    metricId: body.metricId ?? null,
    metricValue: body.metricValue ?? null,
    streakLength: body.streakLength ?? null,
    anniversaryYears: body.anniversaryYears ?? null,
    achievementIds,
    userAttributes: userAttributes ?? [],
    eventAttributes: eventAttributes ?? [],
    where: body.where ?? null,
    aggregate: body.aggregate ?? null,
    per: body.per ?? null,
  };
  assertKnown('metricId', config.metrics, body.metricId ? [body.metricId] : []);
  assertKnown('achievementIds', config.achievements, prerequisitesOf({ achievementIds }).ids);
  const attributes = [...condition.userAttributes, ...condition.eventAttributes];
  assertKnown(
    'attributeId',
    config.attributes,
    attributes.map(({ attributeId }) => attributeId),
  );
  return condition;
}

function assertKnown(field: string, known: readonly { id: string }[], ids: readonly string[]): void {
  const unknown = ids.find((id) => !known.some((entity) => entity.id === id));
  if (unknown !== undefined) throw invalid(`${field}: there is no item with id ${unknown}`);
}
