import type { Config } from '../../../src/rules/config.ts';
import { addDays, localDate } from '../../support/modelCalendar.ts';
import type { ImportedUser } from '../../support/modelImportedUsers.ts';
import type { ImportUserOperation } from '../operations.ts';
import type { Both } from './both.ts';

/** Rows of imports of users. */

/** What a row sets by an operation. */
export function userRow({ model: { config }, now }: Both, asked: ImportUserOperation): ImportedUser {
  const { frequency, freezes, customizationEnabled } = config.streak;
  const { profile, created, streak, isVisible, channels } = asked;
  const at = <T>(list: readonly T[], position: number): T => list[position % list.length]!;
  const { enabled, ...own } = asked.streakPreferences;
  const preferred = { ...(enabled !== undefined && { enabled }), ...(customizationEnabled && own) };
  if (preferred.daysOff && frequency !== 'daily') preferred.daysOff = [];
  const today = localDate(profile.tz ?? config.settings.defaultTimeZone, now);
  const ofKeys = Object.entries(asked.metrics).map(
    ([key, total]) => [config.metrics.find((metric) => metric.key === key)!.id, total] as const,
  );
  return {
    profile,
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
        : { length: streak.length, lastDate: addDays(today, -streak.daysAgo) },
    freezes: asked.freezes && Math.min(asked.freezes, freezes?.maxCount ?? 0),
    preferences: {
      ...(Object.keys(preferred).length > 0 && { streak: preferred }),
      ...(isVisible !== null && { isVisible }),
      channels,
    },
  };
}

/** The row as the file has it. */
export function columnsOf(
  { model: { config } }: Both,
  userId: string,
  row: ImportedUser,
  { streak }: ImportUserOperation,
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
    ...row.profile,
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

/** Whether a row has values that the configuration does not allow. */
export function isRefused({ metrics, pointsSystems }: Config, row: ImportedUser): boolean {
  return (
    metrics.some(({ id, guards }) => (row.metrics.get(id) ?? 0) < 0 && (guards?.minValue ?? -1) >= 0) ||
    pointsSystems.some(
      ({ id, maxPoints }) => (row.points.get(id) ?? 0) > (maxPoints ?? Number.POSITIVE_INFINITY),
    )
  );
}
