import { DECLARED_KINDS, type DeclaredKind, KINDS, nounOf } from '../../contract/kinds/allKinds.ts';
import { isDate, isLive, isTimeZone, secondOfDay } from '../../rules/calendar.ts';
import {
  type Achievement,
  type Challenge,
  type Config,
  ENTITY_KINDS,
  type Entity,
  type EntityKind,
  type EntityOf,
  keyScope,
  type Leaderboard,
  type PointsBoost,
  type PointsLevel,
} from '../../rules/config.ts';
import { checkEntity, type Known } from '../kinds/checkEntity.ts';
import { attributesByKey } from '../kinds/conditionRules.ts';
import type { ConfigIssue, Report } from '../kinds/ruleChecks.ts';
import { checkChallenges } from './challengeRules.ts';
import { findCircles } from './circles.ts';
import { checkLeague } from './leagueRules.ts';
import { checkRewards } from './rewardRules.ts';
import { checkSettings } from './settingsRules.ts';
import { checkStreak } from './streakRules.ts';
import { checkTemplate } from './templateRules.ts';

/** Leaderboards of a tenant that are scheduled or active. Each of them can be part of every event. */
export const LIVE_LEADERBOARDS_MAX = 200;

/**
 * The rules that every configuration must meet. The rules about changes of a configuration are in
 * changeRules.ts.
 */

/** Those, and which achievements are prerequisites of themselves. */
interface KnownAll extends Known {
  achievements: Map<string, Achievement>;
  pointsSystems: Set<string>;
  circles: Map<string, Achievement[]>;
}

const ids = (entities: Entity[]): Set<string> => new Set(entities.map((entity) => entity.id));

/** Every fault of a configuration. */
export function checkConfig(config: Config): ConfigIssue[] {
  const issues = checkEntityLimits(config);
  const achievements = new Map(config.achievements.map((achievement) => [achievement.id, achievement]));
  const known: KnownAll = {
    attributes: new Map(config.attributes.map((attribute) => [attribute.id, attribute])),
    byKey: attributesByKey(config.attributes),
    metrics: ids(config.metrics),
    achievements,
    circles: findCircles(achievements),
    pointsSystems: ids(config.pointsSystems),
  };
  for (const kind of DECLARED_KINDS) {
    const checks = [checkPlace(known), checkMore(kind, known)];
    for (const entity of config[kind]) {
      const report: Report = (field, message) => issues.push({ kind, id: entity.id, field, message });
      checkEntity(kind, entity, report, known);
      for (const check of checks) check(entity as never, report);
    }
  }
  checkStreak(config, (field, message) => issues.push({ kind: 'streak', id: null, field, message }));
  checkSettings(config, (field, message) => issues.push({ kind: 'settings', id: null, field, message }));
  return issues;
}

/** What the fields of a kind must satisfy together; to be called with all entities of the kind. */
function checkMore(kind: DeclaredKind, known: KnownAll): (entity: never, report: Report) => void {
  switch (kind) {
    case 'achievements':
      return ({ id, per, repeat }: Achievement, report) => {
        if (repeat !== null && repeat !== per) report('repeat', 'must be the same as per');
        const circle = known.circles.get(id)?.map(({ key }) => key);
        if (circle) report('achievementIds', `must not be circular: ${circle.join(' → ')}`);
      };
    case 'pointsLevels':
      return checkDistinctPoints();
    case 'pointsBoosts':
      return ({ start, end }: PointsBoost, report) => checkOrder(report, start, end);
    case 'notificationTemplates':
      return checkTemplate;
    case 'leaderboards':
      return (board: Leaderboard, report) => checkLeaderboard(board, report, known);
    case 'challenges': {
      const check = checkChallenges(known);
      return (challenge: Challenge, report) => {
        checkOrder(report, challenge.start, challenge.end);
        check(challenge, report);
      };
    }
    default:
      return () => {};
  }
}

function checkDistinctPoints(): (level: PointsLevel, report: Report) => void {
  const seen = new Set<string>();
  return ({ systemId, points }, report) => {
    const scoped = `${systemId} ${points}`;
    if (seen.has(scoped)) report('points', `is the same as in another level: ${points}`);
    seen.add(scoped);
  };
}

/** Checks that keys are unique, and that parts have a points system; to be called with all of one kind. */
function checkPlace(known: KnownAll): (entity: EntityOf<EntityKind>, report: Report) => void {
  const keys = new Set<string>();
  return (entity, report) => {
    if ('key' in entity) {
      const scoped = `${keyScope(entity)} ${entity.key}`;
      if (keys.has(scoped)) report('key', `is not unique: ${entity.key}`);
      keys.add(scoped);
    }
    if ('systemId' in entity && !known.pointsSystems.has(entity.systemId))
      report('systemId', 'must name a points system');
  };
}

/** An end before the start is reported for the field `end`. */
function checkOrder(report: Report, start: string, end: string | null): void {
  if (end !== null && isDate(start) && isDate(end) && end < start) report('end', 'must not be before start');
}

function checkLeaderboard(board: Leaderboard, report: Report, known: KnownAll): void {
  const { rankBy, aggregation, sortOrder, startTime, endTime, timeZone, runUnit, runInterval } = board;
  if (aggregation !== 'sum' && rankBy !== 'metric')
    report('aggregation', `must not be ${aggregation} when rankBy is ${rankBy}`);
  if (aggregation !== 'sum' && board.aggregate !== null)
    report('aggregate', `must be left out when aggregation is ${aggregation}`);
  if (board.aggregate === 'days' && (startTime !== null || endTime !== null))
    report('aggregate', 'must not be days with startTime or endTime');
  if (sortOrder === 'asc' && aggregation === 'sum')
    report('sortOrder', 'must not be asc unless aggregation is best or latest');
  checkOrder(report, board.start, board.end);
  if (startTime !== null && endTime !== null && secondOfDay(startTime) === secondOfDay(endTime))
    report('endTime', 'must differ from startTime');
  const excludesZone = startTime !== null || endTime !== null || board.league !== null;
  if (timeZone !== null && isTimeZone(timeZone) && excludesZone)
    report('timeZone', 'must be left out with startTime, endTime or league');
  if (rankBy !== 'streak') {
    if (runUnit === null && runInterval !== null) report('runUnit', 'is required with runInterval');
    if (runUnit !== null && runInterval === null) report('runInterval', 'is required with runUnit');
  }
  checkLeague(board, report);
  checkRewards(board, report, known);
}

/** Counters that a tenant may have: combinations of a metric and a filter. */
const COUNTERS_MAX = 5_000;

const limitOf = (kind: EntityKind): number => (kind === 'counters' ? COUNTERS_MAX : KINDS[kind].limit);

/** Reports each entity beyond the number that a tenant may have. */
export function checkEntityLimits(config: Config): ConfigIssue[] {
  const issues = ENTITY_KINDS.flatMap((kind) => beyond(kind, config[kind], limitOf(kind), ''));
  return [
    ...issues,
    ...beyond('leaderboards', config.leaderboards.filter(isLive), LIVE_LEADERBOARDS_MAX, 'live '),
  ];
}

function beyond(kind: EntityKind, entities: { id: string }[], max: number, which: string): ConfigIssue[] {
  const message = `exceeds the limit of ${max} ${which}${nounOf(kind)}s`;
  return entities
    .slice(max)
    .map((entity) => ({ kind, id: entity.id, field: 'key' in entity ? 'key' : 'name', message }));
}
