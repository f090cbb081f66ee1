import { derivedId } from '../base/ids.ts';
import { WrittenJson } from '../base/writtenJson.ts';
import type { GetUserPointsResponse } from '../contract/points.ts';
import type { PointsChange } from '../redis/decoding/outcome.ts';
import type { StoredAward } from '../rules/award.ts';
import { ADJUSTMENT_TRIGGER, type PointsLevel, type PointsSystem } from '../rules/config.ts';
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
    if (level !== rules.levelAt(system, total - added)) json += `,"level":${levelJson(rules, level)}`;
    let list = '';
    for (const award of awards) {
      const trigger =
        award.trigger > ADJUSTMENT_TRIGGER
          ? fragments.trigger(award.trigger)
          : JSON.stringify(fragments.causes.triggerOfAward(award.trigger, award.awarded, date, null));
      const id = derivedId(eventId, ++awardNo);
      const boosts = `[${award.boosts.map(fragments.boost).filter(isKnown).join(',')}]`;
      if (list !== '') list += ',';
      list += awardJson(id, award, date, trigger, boosts);
    }
    json += `,"added":${added},"awards":[${list}]}`;
  }
  return `${json}}`;
}

/** JSON of a boost, unless its challenge has changed since it gave the boost. */
const isKnown = (boost: string): boolean => boost !== 'null';

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
  const level = levelJson(rules, rules.levelAt(system, total));
  let list = '';
  for (const award of awards) list += `${list === '' ? '' : ','}${storedAwardJson(causes, award, day)}`;
  return new WrittenJson(
    `${getFragments(rules).system(system.no)},"total":${total},"level":${level},"awards":[${list}]}`,
  );
}

/** JSON of a stored award, as `awardView` shows it. */
function storedAwardJson(causes: Causes, award: StoredAward, day: number): string {
  const { id, reward, boosts } = award;
  const date = (reward === null ? award.date : new Date(reward.at)).toISOString();
  const shownBoosts = boosts === null ? '[]' : JSON.stringify(causes.boosts(boosts, day));
  return awardJson(id, award, date, triggerJson(causes, award, date), shownBoosts);
}

/** JSON of what has caused a stored award; null if nothing is known of it. */
function triggerJson(causes: Causes, { trigger: no, awarded, reward }: StoredAward, date: string) {
  const { rules } = causes;
  if (rules.findCause('pointsTriggers', no) !== null) return getFragments(rules).trigger(no);
  const trigger = causes.triggerOfAward(no, awarded, date, reward);
  return trigger && JSON.stringify(trigger);
}

/** JSON of `PointsAward`. @param trigger JSON, like `boosts`; null without one */
const awardJson = (
  id: string,
  { awarded, total }: { awarded: number; total: number },
  date: string,
  trigger: string | null,
  boosts: string,
): string =>
  `{"id":"${id}","awarded":${awarded},"date":"${date}","total":${total}${trigger === null ? '' : `,"trigger":${trigger}`},"boosts":${boosts}}`;

const levelJson = (rules: Rules, level: PointsLevel | null): string =>
  level === null ? 'null' : getFragments(rules).level(level.no);
