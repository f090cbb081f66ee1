import type {
  ConfigFile,
  FileAchievement,
  FileBoost,
  FileLeaderboard,
  FileLevel,
  FileStreak,
  FileSystem,
  FileTemplate,
  FileTrigger,
  FileWebhook,
} from '../../contract/configFile.ts';
import { bodyOf } from '../../engine/configuration/configDraft.ts';
import { localTime, statusOn } from '../../rules/calendar.ts';
import type {
  Achievement,
  AttributeValue,
  Config,
  EntityKind,
  EntityOf,
  Leaderboard,
  Metric,
  NotificationTemplate,
  PointsBoost,
  PointsLevel,
  PointsSystem,
  PointsTrigger,
  StreakSettings,
  Webhook,
} from '../../rules/config.ts';
import { leagueInput } from '../../rules/leagueTiers.ts';
import { rewardItem } from './fileRewards.ts';

/**
 * Writes a configuration as a file at `now`: ids become keys, empty fields are left out. Applying the file to
 * the same configuration changes nothing. The inverse of fileEntities.ts.
 */
export function exportConfig(config: Config, now: number): ConfigFile {
  const keys = new Keys(config);
  const { day: today } = localTime(config.settings.defaultTimeZone, now);
  const { appUrl, logo, appIcon, address, ...branding } = config.settings.branding;
  const attributesOf = (type: 'user' | 'event') =>
    config.attributes.filter((attribute) => attribute.type === type).map(({ key, name }) => ({ key, name }));
  return {
    attributes: { user: attributesOf('user'), event: attributesOf('event') },
    metrics: config.metrics.map(metricItem),
    streak: streakItem(config.streak),
    achievements: config.achievements.map((achievement) => achievementItem(achievement, keys)),
    points: config.pointsSystems.map((system) => systemItem(system, config, keys)),
    leaderboards: config.leaderboards.map((board) => leaderboardItem(board, keys, today)),
    webhooks: config.webhooks.map(webhookItem),
    templates: config.notificationTemplates.map((template) => templateItem(template, keys)),
    settings: {
      ...config.settings,
      branding: { ...branding, ...declared({ appUrl: appUrl || null, logo, appIcon, address }) },
    },
  };
}

/** An entity as a file shows it, without its parts: to compare it before and after a change. */
export function fileItem(
  config: Config,
  now: number,
  kind: EntityKind,
  entity: EntityOf<EntityKind>,
): object {
  const keys = new Keys(config);
  const {
    levels: _levels,
    triggers: _triggers,
    boosts: _boosts,
    ...item
  } = itemOf(config, keys, now, kind, entity);
  return item;
}

const metricItem = ({ key, name, unitType, units, guards }: Metric) => ({
  key,
  name,
  unitType,
  units,
  ...declared({ guards }),
});

function itemOf(
  config: Config,
  keys: Keys,
  now: number,
  kind: EntityKind,
  entity: EntityOf<EntityKind>,
): Record<string, unknown> {
  switch (kind) {
    case 'achievements':
      return { ...achievementItem(entity as Achievement, keys) };
    case 'pointsSystems':
      return { ...systemItem(entity as PointsSystem, config, keys) };
    case 'pointsTriggers':
      return { ...triggerItem(entity as PointsTrigger, keys) };
    case 'pointsBoosts':
      return { ...boostItem(entity as PointsBoost, keys) };
    case 'leaderboards':
      return {
        ...leaderboardItem(entity as Leaderboard, keys, localTime(config.settings.defaultTimeZone, now).day),
      };
    case 'webhooks':
      return { ...webhookItem(entity as Webhook) };
    case 'notificationTemplates':
      return { ...templateItem(entity as NotificationTemplate, keys) };
    default:
      return { ...bodyOf(entity) };
  }
}

/** Without its secrets. */
function webhookItem({ name, url, events, status }: Webhook): FileWebhook {
  // A file that says nothing leaves it disabled.
  return { name, url, events, ...(status !== 'disabled' && { status }) };
}

function templateItem(template: NotificationTemplate, keys: Keys): FileTemplate {
  const { name, type, channel, status, subject, body, frequency, userAttributes } = template;
  const optional = declared({ frequency, userAttributes: keys.filter(userAttributes) });
  return { name, type, channel, status, subject, body, ...optional };
}

/** The same for the streak. */
export function streakFileItem(config: Config): FileStreak {
  return streakItem(config.streak);
}

/** Looks up the keys by which a file refers to entities. */
class Keys {
  readonly #byId: Map<string, string>;

  constructor({ attributes, metrics, achievements, pointsSystems }: Config) {
    const all = [...attributes, ...metrics, ...achievements, ...pointsSystems];
    this.#byId = new Map(all.map(({ id, key }) => [id, key]));
  }

  of(id: string): string {
    return this.#byId.get(id)!;
  }

  /** null for null. */
  ofAny(id: string | null): string | null {
    return id === null ? null : this.of(id);
  }

  filter(pairs: AttributeValue[]): Record<string, string> | null {
    if (pairs.length === 0) return null;
    return Object.fromEntries(
      pairs.map(({ attributeId, attributeValue }) => [this.of(attributeId), attributeValue]),
    );
  }
}

type Declared<T> = { [K in keyof T]: Exclude<T[K], null> };

/** Leaves out the fields that are null, which means the same in a file. */
function declared<T extends object>(fields: T): Partial<Declared<T>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Partial<
    Declared<T>
  >;
}

const badgeOf = (url: string | null) => (url === null ? null : { url });

function streakItem({ freezes, ...streak }: StreakSettings): FileStreak {
  return { ...streak, ...declared({ freezes }) };
}

function achievementItem(achievement: Achievement, keys: Keys): FileAchievement {
  const { key, name, trigger, status, hidden, description, badgeUrl, achievementIds } = achievement;
  return {
    key,
    name,
    trigger,
    status,
    ...declared({
      description,
      badge: badgeOf(badgeUrl),
      metric: keys.ofAny(achievement.metricId),
      metricValue: achievement.metricValue,
      streakLength: achievement.streakLength,
      anniversaryYears: achievement.anniversaryYears,
      userAttributes: keys.filter(achievement.userAttributes),
      eventAttributes: keys.filter(achievement.eventAttributes),
    }),
    ...(hidden && { hidden }),
    ...(achievementIds.length > 0 && { achievements: achievementIds.map((id) => keys.of(id)) }),
  };
}

function systemItem(system: PointsSystem, config: Config, keys: Keys): FileSystem {
  const { id, key, name, description, badgeUrl, maxPoints } = system;
  const isPart = ({ systemId }: { systemId: string }): boolean => systemId === id;
  return {
    key,
    name,
    ...declared({ description, badge: badgeOf(badgeUrl), maxPoints }),
    levels: config.pointsLevels.filter(isPart).map(levelItem),
    triggers: config.pointsTriggers.filter(isPart).map((trigger) => triggerItem(trigger, keys)),
    boosts: config.pointsBoosts.filter(isPart).map((boost) => boostItem(boost, keys)),
  };
}

function levelItem({ key, name, points, description, badgeUrl }: PointsLevel): FileLevel {
  return { key, name, points, description, ...declared({ badge: badgeOf(badgeUrl) }) };
}

function triggerItem(trigger: PointsTrigger, keys: Keys): FileTrigger {
  const { type, points, status, blockIfOutOfPoints } = trigger;
  return {
    type,
    points,
    status,
    ...declared({
      metric: keys.ofAny(trigger.metricId),
      metricThreshold: trigger.metricThreshold,
      achievement: keys.ofAny(trigger.achievementId),
      streakLength: trigger.streakLength,
      timeUnit: trigger.timeUnit,
      timeInterval: trigger.timeInterval,
      userAttributes: keys.filter(trigger.userAttributes),
      eventAttributes: keys.filter(trigger.eventAttributes),
    }),
    ...(blockIfOutOfPoints && { blockIfOutOfPoints }),
  };
}

function boostItem(boost: PointsBoost, keys: Keys): FileBoost {
  const { name, start, multiplier, rounding, end, userId } = boost;
  return {
    name,
    start,
    multiplier,
    rounding,
    ...declared({ end, userId, userAttributes: keys.filter(boost.userAttributes) }),
  };
}

function leaderboardItem(board: Leaderboard, keys: Keys, today: number): FileLeaderboard {
  const { key, name, rankBy, sortOrder, aggregation, ties } = board;
  const { maxParticipants, start, breakdownAttributes } = board;
  const { description, end, startTime, endTime, timeZone, runUnit, runInterval, rewards } = board;
  const status = board.status === 'inactive' ? board.status : statusOn(board, today);
  return {
    key,
    name,
    status,
    rankBy,
    sortOrder,
    aggregation,
    ties,
    maxParticipants,
    start,
    ...declared({
      description,
      end,
      startTime,
      endTime,
      timeZone,
      runUnit,
      runInterval,
      metric: keys.ofAny(board.metricId),
      points: keys.ofAny(board.pointsSystemId),
      eventAttributes: keys.filter(board.eventAttributes),
      league: board.league && leagueInput(board.league),
    }),
    ...(breakdownAttributes.length > 0 && {
      breakdownAttributes: breakdownAttributes.map((id) => keys.of(id)),
    }),
    ...(rewards.length > 0 && { rewards: rewards.map((reward) => rewardItem(reward, (id) => keys.of(id))) }),
  };
}
