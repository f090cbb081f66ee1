import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../base/ids.ts';
import { type Body, bodyOf } from '../../engine/configuration/configDraft.ts';
import type { Entity, PointsTrigger } from '../../rules/config.ts';
import type { Identified } from './fileReferences.ts';

/**
 * A trigger with the same subject is the same trigger, even if its points, threshold, interval or status
 * changed.
 */
export function subjectOfTrigger(trigger: Body<PointsTrigger>): unknown[] {
  const { type, metricId, eventAttributes, userAttributes, achievementId, streakLength, timeUnit } = trigger;
  return [type, metricId, eventAttributes, userAttributes, achievementId, streakLength, timeUnit];
}

/**
 * Ids for items without a key: the id of an equal stored entity, else of the lowest-numbered one with the
 * same subject, else a new one. Equal entities are matched first, so that an earlier item cannot take the id
 * of a later one.
 */
export function identifyKeyless<E extends Entity>(
  bodies: Body<E>[],
  stored: E[],
  subjectOf: (body: Body<E>) => unknown,
  path: string,
): Identified<Body<E>>[] {
  const free = stored
    .toSorted((a, b) => a.no - b.no)
    .map((entity) => ({ id: entity.id, body: bodyOf(entity) }));
  const take = (same: (body: Body<E>) => boolean): string | undefined => {
    const index = free.findIndex(({ body }) => same(body));
    return index === -1 ? undefined : free.splice(index, 1)[0]!.id;
  };
  const equalIds = bodies.map((body) => take((other) => isDeepStrictEqual(other, body)));
  return bodies.map((item, index) => ({
    item,
    id: equalIds[index] ?? take((other) => isDeepStrictEqual(subjectOf(other), subjectOf(item))) ?? newId(),
    path: `${path}[${index}]`,
  }));
}
