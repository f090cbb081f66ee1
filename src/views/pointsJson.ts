import { derivedId } from '../base/ids.ts';
import { WrittenJson } from '../base/writtenJson.ts';
import type { GetUserPointsResponse } from '../contract/points.ts';
import type { PointsChange } from '../redis/decoding/outcome.ts';
import type { StoredAward } from '../rules/award.ts';
import { ADJUSTMENT_TRIGGER, type PointsSystem } from '../rules/config.ts';
import type { Rules } from '../rules/inForce/rules.ts';
import type { Causes } from './causeView.ts';
import { getFragments } from './fragments.ts';

/**
 * JSON of `MetricEventPointsResponse` by key of the points system; `level` is present only if the change
 * moved the user to another level.
 */
export function pointsJson(rules: Rules, changes: PointsChange[], eventId: string, date: string): string {
  const fragments = getFragments(rules);
  let json = '{';
  let awardNo = 0;
  for (const { system: no, total, added, awards } of changes) {
    const system = rules.byNo('pointsSystems', no);
    const level = rules.levelAt(system, total);
    if (json !== '{') json += ',';
    json += `${JSON.stringify(system.key)}:${fragments.system(no)},"total":${total}`;
    if (level !== rules.levelAt(system, total - added))
      json += `,"level":${level === null ? 'null' : fragments.level(level.no)}`;
    let list = '';
    for (const award of awards) {
      const trigger =
        award.trigger > ADJUSTMENT_TRIGGER
          ? fragments.trigger(award.trigger)
          : JSON.stringify(fragments.causes.triggerOfAward(award.trigger, award.awarded, date, null));
      if (list !== '') list += ',';
      list += `{"id":"${derivedId(eventId, ++awardNo)}","awarded":${award.awarded},"date":"${date}","total":${award.total},"trigger":${trigger},"boosts":[${award.boosts.map(fragments.boost).join(',')}]}`;
    }
    json += `,"added":${added},"awards":[${list}]}`;
  }
  return `${json}}`;
}

/**
 * The points of a user.
 * @param awards the latest ones
 * @param day the user's local day, on which the status of boosts depends
 */
export function userPointsJson(
  causes: Causes,
  system: PointsSystem,
  total: number,
  awards: readonly StoredAward[],
  day: number,
): WrittenJson<GetUserPointsResponse> {
  const { rules } = causes;
  const fragments = getFragments(rules);
  const level = rules.levelAt(system, total);
  const levelText = level === null ? 'null' : fragments.level(level.no);
  let list = '';
  for (const award of awards) list += `${list === '' ? '' : ','}${awardJson(causes, award, day)}`;
  return new WrittenJson(
    `${fragments.system(system.no)},"total":${total},"level":${levelText},"awards":[${list}]}`,
  );
}

/** JSON of what `awardView` shows. */
function awardJson(causes: Causes, award: StoredAward, day: number): string {
  const { id, awarded, total, trigger: no, reward, boosts } = award;
  const date = (reward === null ? award.date : new Date(reward.at)).toISOString();
  const shownBoosts = boosts === null ? '[]' : JSON.stringify(causes.boosts(boosts, day));
  return `{"id":"${id}","awarded":${awarded},"date":"${date}","total":${total}${triggerJson()},"boosts":${shownBoosts}}`;

  function triggerJson(): string {
    const { rules } = causes;
    if (rules.findCause('pointsTriggers', no) !== null)
      return `,"trigger":${getFragments(rules).trigger(no)}`;
    const trigger = causes.triggerOfAward(no, awarded, date, reward);
    return trigger === null ? '' : `,"trigger":${JSON.stringify(trigger)}`;
  }
}
