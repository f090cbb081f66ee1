import type { StreakPreferences } from '../../../src/contract/preferences.ts';
import type { Config } from '../../../src/rules/config.ts';
import type { Model } from '../../support/model.ts';
import { addDays, type LocalDate, localDate } from '../../support/modelCalendar.ts';
import type { ImportedUser } from '../../support/modelImportedUsers.ts';
import type { ImportUserOperation } from '../operations.ts';
import type { Both } from './both.ts';

/** Rows of imports of users. */

/** What a row sets by an operation. */
export function userRow({ model, now }: Both, asked: ImportUserOperation): ImportedUser {
  const { config } = model;
  const { profile, created, streak, isVisible, channels } = asked;
  const at = <T>(list: readonly T[], position: number): T => list[position % list.length]!;
  const { preferred, freezes } = asked.isUnfit
    ? { preferred: asked.streakPreferences, freezes: asked.freezes }
    : allowedOf(config, asked);
  const ofKeys = Object.entries(asked.metrics).map(
    ([key, total]) => [config.metrics.find((metric) => metric.key === key)!.id, total] as const,
  );
  const { tz, ...others } = profile;
  return {
    // An empty column sets nothing.
    profile: tz === null ? others : profile,
    created: created === null ? null : now - created,
    achievements: new Map(
      asked.achievements.map(({ achievement, ago }) => [at(config.achievements, achievement).id, now - ago]),
    ),
    metrics: new Map(ofKeys),
    points: new Map(asked.points.map(({ system, total }) => [at(config.pointsSystems, system).id, total])),
    challenges: new Map(
      asked.challenges
        .filter(() => config.challenges.length > 0)
        .map(({ challenge, completions }) => [at(config.challenges, challenge).id, completions]),
    ),
    streak:
      streak === null || Math.max(streak.length, streak.longest ?? 0) === 0
        ? null
        : {
            length: streak.length,
            longest: streak.longest ?? streak.length,
            lastDate: addDays(dayOfRow(model, asked, asked.userId, now), -streak.daysAgo),
          },
    freezes,
    preferences: {
      ...(Object.keys(preferred).length > 0 && { streak: preferred }),
      ...(isVisible !== null && { isVisible }),
      channels,
    },
  };
}

/** The date on which a row is imported, where its user is then. */
export function dayOfRow(
  { config, users }: Model,
  { profile }: Pick<ImportedUser, 'profile'>,
  userId: string,
  now: number,
): LocalDate {
  const zone = profile.tz ?? users.get(userId)?.tz ?? config.settings.defaultTimeZone;
  return localDate(zone, now);
}

/** The preferences and freezes of a row that the tenant allows. */
function allowedOf(
  { streak: { frequency, freezes, customizationEnabled } }: Config,
  { streakPreferences, freezes: asked }: ImportUserOperation,
): { preferred: StreakPreferences; freezes: number | null } {
  const { enabled, ...own } = streakPreferences;
  const preferred = { ...(enabled !== undefined && { enabled }), ...(customizationEnabled && own) };
  if (preferred.daysOff && frequency !== 'daily') preferred.daysOff = [];
  return { preferred, freezes: asked && Math.min(asked, freezes?.maxCount ?? 0) };
}

/** The row as the file has it. */
export function columnsOf(
  both: Both,
  userId: string,
  row: ImportedUser,
  asked: ImportUserOperation,
): Record<string, unknown> {
  const columns = valuesOf(both, userId, row, asked);
  if (!asked.isText) return columns;
  return Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, textOf(name, value)]));
}

/** A value as CSV has it, in which nothing is null and a list of days off cannot be empty. */
function textOf(column: string, value: unknown): unknown {
  if (value === null) return '';
  if (!Array.isArray(value)) return String(value);
  if (value.length === 0) return column === 'preferences.streak.daysOff' ? value : 'none';
  const texts = value.map((one) => (typeof one === 'object' ? `${one.key}:${one.threshold}` : String(one)));
  return texts.join(', ');
}

function valuesOf(
  { model: { config } }: Both,
  userId: string,
  row: ImportedUser,
  { profile, streak }: ImportUserOperation,
): Record<string, unknown> {
  const iso = (at: number): string => new Date(at).toISOString();
  const named = <T>(
    group: string,
    list: readonly { id: string; key: string }[],
    values: ReadonlyMap<string, T>,
    what = '',
  ): [string, T][] =>
    [...values].map(([id, value]) => [`${group}.${list.find((one) => one.id === id)!.key}${what}`, value]);
  const achieved = new Map([...row.achievements].map(([id, at]) => [id, iso(at)]));
  const { preferences } = row;
  const columns: [string, unknown][] = [
    ...named('achievement', config.achievements, achieved),
    ...named('metric', config.metrics, row.metrics),
    ...named('points', config.pointsSystems, row.points),
    ...named('challenge', config.challenges, row.challenges, '.completions'),
    ...Object.entries(preferences.streak ?? {}).map(
      ([name, value]) => [`preferences.streak.${name}`, value] as [string, unknown],
    ),
    ...Object.entries(preferences.channels ?? {}).map(
      ([type, channels]) => [`preferences.${type}`, channels] as [string, unknown],
    ),
  ];
  return {
    id: userId,
    ...profile,
    ...(row.created !== null && { created: iso(row.created) }),
    ...Object.fromEntries(columns),
    ...(row.streak && {
      'streak.length': row.streak.length,
      'streak.lastDate': row.streak.lastDate.toISODate(),
    }),
    ...(streak?.longest != null && { 'streak.longest': streak.longest }),
    ...(row.freezes !== null && { 'streak.freezes': row.freezes }),
    ...(preferences.isVisible !== undefined && { 'preferences.leaderboards.visible': preferences.isVisible }),
  };
}

/** Whether a row has values that the configuration does not allow, or a streak of the future. */
export function isRefused(
  { metrics, pointsSystems, streak }: Config,
  { longest, ...row }: ImportedUser & { longest: number | null },
  today: LocalDate,
): boolean {
  const { enabled: _, ...own } = row.preferences.streak ?? {};
  const hasDaysOff = own.daysOff !== undefined && own.daysOff.length > 0;
  return (
    metrics.some(({ id, guards }) => (row.metrics.get(id) ?? 0) < 0 && (guards?.minValue ?? -1) >= 0) ||
    pointsSystems.some(
      ({ id, maxPoints }) => (row.points.get(id) ?? 0) > (maxPoints ?? Number.POSITIVE_INFINITY),
    ) ||
    (row.freezes ?? 0) > (streak.freezes?.maxCount ?? 0) ||
    (row.streak !== null && longest !== null && longest < row.streak.length) ||
    (row.streak !== null && row.streak.lastDate > today) ||
    (Object.keys(own).length > 0 && !streak.customizationEnabled) ||
    (hasDaysOff && streak.frequency !== 'daily')
  );
}
