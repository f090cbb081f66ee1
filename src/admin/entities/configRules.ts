import {
  ANNIVERSARY_YEARS_MAX,
  ENTITIES_MAX,
  EVENT_VALUE_MAX,
  INTERVAL_MAX,
  LEADERBOARD_PARTICIPANTS_MAX,
  LIVE_LEADERBOARDS_MAX,
  MULTIPLIER_BELOW,
  TEMPLATE_CHARS_MAX,
  USER_ID_CHARS_MAX,
} from '../../base/limits.ts';
import { CHOSEN_FIELDS } from '../../contract/entityFields.ts';
import { TIME_OF_DAY_PATTERN } from '../../contract/schemas.ts';
import { checkTemplateText } from '../../notifications/messages/templates.ts';
import { isDate, isLive, isTimeZone, secondOfDay } from '../../rules/calendar.ts';
import {
  type Achievement,
  type Attribute,
  type Config,
  ENTITY_KINDS,
  type Entity,
  type EntityKind,
  type EntityOf,
  keyScope,
  type Leaderboard,
  type Metric,
  type NotificationTemplate,
  type PointsBoost,
  type PointsTrigger,
  type Webhook,
} from '../../rules/config.ts';
import { findCircles } from './circles.ts';
import { checkGuards } from './guardRules.ts';
import { checkLeague } from './leagueRules.ts';
import { NOUNS } from './nouns.ts';
import { checkRewards } from './rewardRules.ts';
import {
  type ConfigIssue,
  checkAttributeIds,
  checkFields,
  checkFilter,
  checkKey,
  checkName,
  checkPositive,
  checkText,
  checkWebUrl,
  checkWhole,
  isWebUrl,
  NO_WEB_URL,
  type Report,
} from './ruleChecks.ts';
import { checkSettings } from './settingsRules.ts';
import { checkStreak } from './streakRules.ts';

/**
 * The rules that every configuration must meet. The rules about changes of a configuration are in
 * changeRules.ts.
 */

const TIME_OF_DAY = new RegExp(TIME_OF_DAY_PATTERN);

/** The entities that others refer to, by id. */
interface Known {
  attributes: Map<string, Attribute>;
  metrics: Set<string>;
  achievements: Map<string, Achievement>;
  circles: Map<string, Achievement[]>;
  systems: Set<string>;
}

const ids = (entities: Entity[]): Set<string> => new Set(entities.map((entity) => entity.id));

/** Every fault of a configuration. */
export function checkConfig(config: Config): ConfigIssue[] {
  const issues = checkEntityLimits(config);
  const achievements = new Map(config.achievements.map((achievement) => [achievement.id, achievement]));
  const known: Known = {
    attributes: new Map(config.attributes.map((attribute) => [attribute.id, attribute])),
    metrics: ids(config.metrics),
    achievements,
    circles: findCircles(achievements),
    systems: ids(config.pointsSystems),
  };
  const each = <K extends EntityKind>(
    kind: K,
    check: (entity: EntityOf<K>, report: Report) => void,
  ): void => {
    for (const entity of config[kind] as EntityOf<K>[]) {
      check(entity, (field, message) => issues.push({ kind, id: entity.id, field, message }));
    }
  };
  // Counters are derived, and go with their metric and their attributes.
  for (const kind of ENTITY_KINDS) if (kind !== 'counters') each(kind, checkCommonFields(known));
  each('metrics', checkMetric);
  each('achievements', (achievement, report) => checkAchievement(achievement, report, known));
  each('pointsSystems', (system, report) => checkWhole(report, 'maxPoints', system.maxPoints, 1));
  const pointsOfLevels = new Set<string>();
  each('pointsLevels', (level, report) => {
    checkWhole(report, 'points', level.points, 0);
    const scoped = `${level.systemId} ${level.points}`;
    if (pointsOfLevels.has(scoped)) report('points', `is the same as in another level: ${level.points}`);
    pointsOfLevels.add(scoped);
  });
  each('pointsTriggers', (trigger, report) => checkTrigger(trigger, report, known));
  each('pointsBoosts', checkBoost);
  each('webhooks', checkWebhook);
  each('notificationTemplates', checkTemplate);
  each('leaderboards', (board, report) => checkLeaderboard(board, report, known));
  checkStreak(config, (field, message) => issues.push({ kind: 'streak', id: null, field, message }));
  checkSettings(config, (field, message) => issues.push({ kind: 'settings', id: null, field, message }));
  return issues;
}

function checkMetric({ units, guards }: Metric, report: Report): void {
  checkText(report, 'units', units);
  checkGuards(guards, report);
}

/** Checks the fields that several kinds share; to be called with all entities of one kind. */
function checkCommonFields(known: Known): (entity: EntityOf<EntityKind>, report: Report) => void {
  const keys = new Set<string>();
  return (entity, report) => {
    if ('key' in entity) {
      checkKey(report, entity.key);
      const scoped = `${keyScope(entity)} ${entity.key}`;
      if (keys.has(scoped)) report('key', `is not unique: ${entity.key}`);
      keys.add(scoped);
    }
    if ('name' in entity) checkName(report, entity.name);
    if ('description' in entity) checkText(report, 'description', entity.description);
    if ('badgeUrl' in entity) checkWebUrl(report, 'badgeUrl', entity.badgeUrl);
    if ('systemId' in entity && !known.systems.has(entity.systemId))
      report('systemId', 'must name a points system');
    if ('userAttributes' in entity)
      checkFilter(report, 'userAttributes', entity.userAttributes, known.attributes);
    if ('eventAttributes' in entity)
      checkFilter(report, 'eventAttributes', entity.eventAttributes, known.attributes);
  };
}

function checkMetricId(report: Report, field: string, metricId: string | null, known: Known): void {
  if (metricId !== null && !known.metrics.has(metricId)) report(field, 'must name an existing metric');
}

function checkAchievement(achievement: Achievement, report: Report, known: Known): void {
  checkFields(report, achievement, CHOSEN_FIELDS.achievements);
  checkMetricId(report, 'metricId', achievement.metricId, known);
  checkPositive(report, 'metricValue', achievement.metricValue);
  checkWhole(report, 'streakLength', achievement.streakLength, 1);
  checkWhole(report, 'anniversaryYears', achievement.anniversaryYears, 1, ANNIVERSARY_YEARS_MAX);
  achievement.achievementIds.forEach((id, index) => {
    if (!known.achievements.has(id)) report(`achievementIds[${index}]`, 'must name an existing achievement');
    else if (achievement.achievementIds.indexOf(id) < index) {
      report(`achievementIds[${index}]`, 'names the same achievement twice');
    }
  });
  const circle = known.circles.get(achievement.id);
  if (circle) report('achievementIds', `must not be circular: ${circle.map(({ key }) => key).join(' → ')}`);
}

function checkTrigger(trigger: PointsTrigger, report: Report, known: Known): void {
  checkFields(report, trigger, CHOSEN_FIELDS.pointsTriggers);
  const { points } = trigger;
  if (!Number.isInteger(points) || points === 0) report('points', 'must be a whole number other than 0');
  else if (Math.abs(points) > EVENT_VALUE_MAX) report('points', `must not be beyond ${EVENT_VALUE_MAX}`);
  checkMetricId(report, 'metricId', trigger.metricId, known);
  if (trigger.achievementId !== null && !known.achievements.has(trigger.achievementId)) {
    report('achievementId', 'must name an existing achievement');
  }
  checkWhole(report, 'metricThreshold', trigger.metricThreshold, 1);
  checkWhole(report, 'streakLength', trigger.streakLength, 1);
  checkWhole(report, 'timeInterval', trigger.timeInterval, 1, INTERVAL_MAX);
}

/** An end before the start is reported for the field `end`. */
function checkDates(report: Report, start: string, end: string | null): void {
  if (!isDate(start)) report('start', 'must be an existing date, YYYY-MM-DD');
  if (end === null) return;
  if (!isDate(end)) report('end', 'must be an existing date, YYYY-MM-DD');
  else if (isDate(start) && end < start) report('end', 'must not be before start');
}

function checkBoost(boost: PointsBoost, report: Report): void {
  checkDates(report, boost.start, boost.end);
  const { multiplier } = boost;
  if (!(multiplier > 0 && multiplier < MULTIPLIER_BELOW) || multiplier === 1) {
    report('multiplier', `must be greater than 0, less than ${MULTIPLIER_BELOW} and not 1`);
  }
  checkText(report, 'userId', boost.userId, USER_ID_CHARS_MAX);
  if (boost.userId === '') report('userId', 'must not be empty');
}

function checkLeaderboard(board: Leaderboard, report: Report, known: Known): void {
  checkFields(report, board, CHOSEN_FIELDS.leaderboards);
  checkMetricId(report, 'metricId', board.metricId, known);
  if (board.pointsSystemId !== null && !known.systems.has(board.pointsSystemId)) {
    report('pointsSystemId', 'must name an existing points system');
  }
  const { aggregation, sortOrder } = board;
  if (aggregation !== 'sum' && board.rankBy !== 'metric')
    report('aggregation', `must not be ${aggregation} when rankBy is ${board.rankBy}`);
  if (sortOrder === 'asc' && aggregation === 'sum')
    report('sortOrder', 'must not be asc unless aggregation is best or latest');
  checkWhole(report, 'maxParticipants', board.maxParticipants, 1, LEADERBOARD_PARTICIPANTS_MAX);
  checkDates(report, board.start, board.end);
  const [startTime, endTime] = (['startTime', 'endTime'] as const).map((field) => {
    const time = board[field];
    if (time === null || TIME_OF_DAY.test(time)) return time && secondOfDay(time);
    report(field, 'must be a time of day, HH:MM or HH:MM:SS');
    return null;
  });
  if (startTime !== null && startTime === endTime) report('endTime', 'must differ from startTime');
  if (board.timeZone !== null && !isTimeZone(board.timeZone))
    report('timeZone', `must be an IANA time zone, not ${board.timeZone}`);
  else if (board.timeZone !== null && (startTime !== null || endTime !== null || board.league !== null))
    report('timeZone', 'must be left out with startTime, endTime or league');
  checkWhole(report, 'runInterval', board.runInterval, 1, INTERVAL_MAX);
  if (board.rankBy !== 'streak') {
    if (board.runUnit === null && board.runInterval !== null)
      report('runUnit', 'is required with runInterval');
    if (board.runUnit !== null && board.runInterval === null)
      report('runInterval', 'is required with runUnit');
  }
  checkLeague(board, report);
  const breakdown = board.breakdownAttributes;
  checkAttributeIds(report, (index) => `breakdownAttributes[${index}]`, breakdown, 'user', known.attributes);
  checkRewards(board, report, known);
}

function checkWebhook(webhook: Webhook, report: Report): void {
  checkText(report, 'url', webhook.url);
  if (!isWebUrl(webhook.url)) report('url', NO_WEB_URL);
  else if (new URL(webhook.url).username !== '') report('url', 'must not hold a user name or password');
  if (webhook.events.length === 0) report('events', 'must name at least one event');
  if (new Set(webhook.events).size < webhook.events.length) report('events', 'names the same event twice');
}

function checkTemplate(template: NotificationTemplate, report: Report): void {
  if (template.frequency && template.type !== 'recap') report('frequency', 'is for templates of type recap');
  for (const field of ['subject', 'body'] as const) {
    if (template[field].trim() === '') report(field, 'must not be empty');
  }
  checkText(report, 'subject', template.subject);
  checkText(report, 'body', template.body, TEMPLATE_CHARS_MAX);
  checkTemplateText(template, report);
}

/** Reports each entity beyond the number that a tenant may have. */
export function checkEntityLimits(config: Config): ConfigIssue[] {
  const issues = ENTITY_KINDS.flatMap((kind) => beyond(kind, config[kind], ENTITIES_MAX[kind], ''));
  return [
    ...issues,
    ...beyond('leaderboards', config.leaderboards.filter(isLive), LIVE_LEADERBOARDS_MAX, 'live '),
  ];
}

function beyond(kind: EntityKind, entities: { id: string }[], max: number, which: string): ConfigIssue[] {
  const message = `is of one ${which}${NOUNS[kind]} too many: a tenant may have ${max}`;
  return entities
    .slice(max)
    .map((entity) => ({ kind, id: entity.id, field: 'key' in entity ? 'key' : 'name', message }));
}
