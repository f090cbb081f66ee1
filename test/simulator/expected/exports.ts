import type { Config, Counter } from '../../../src/rules/config.ts';
import type { Model } from '../../support/model.ts';
import { ordinal } from '../../support/modelCalendar.ts';
import { FREQUENCIES, isInUse, type ModelUser, userStateOf } from '../../support/modelUser.ts';
import type { Books } from '../books.ts';
import { Excused, type Expected } from '../difference.ts';
import type { LoggedUser } from '../worldLog.ts';
import { pairs } from './entities.ts';
import { profileOf } from './reads.ts';

/** Everything that is held about a user (docs/admin-api.md). A table or a column that is not here is a difference. */

type Row = Record<string, Expected>;
type Numbered = { id: string; key: string; no: number };
type ShownCounter = Record<string, unknown> & { total: number };

const any = (reason: string): Excused => new Excused('any', reason);

/** Tables whose rows are not compared. */
const TABLES_NOT_COMPARED: Record<string, string> = {
  past_causes: 'what awards name as their causes is compared in the timeline',
  api_keys: 'no world has application keys',
  audit_log: 'tests of the corrections read it',
  import_refusals: 'the refused rows of imports are compared',
  former_user_ids: 'renameUserKills.slow',
  suppressed_addresses: 'no mail is sent',
  metric_days: 'no event of a world is so old that it is no longer kept',
  used_fingerprints: 'usedKeys.slow',
  revoked_completions: 'that what was revoked is gone is compared',
  reached_goals: 'the progress of challenges is compared',
  streak_pauses: 'pauses are compared in the streak',
  streak_resets: 'resets are compared in the history of the streak',
  streak_standings: 'analytics of streaks are compared',
  leaderboard_changes: 'compared in the timeline',
  league_members: 'the groups of leagues are compared',
  held_events: 'lists of held events are compared',
  webhook_deliveries: 'deliveries are compared where they are received',
  notification_deliveries: 'no world has a template, so nothing is sent',
  user_activity: 'active users are compared by day',
  anomalies: 'anomalies.test',
  user_cohorts: 'retention is compared',
  cohort_changes: 'retention is compared',
  user_snapshots: 'states have a test of their own; laurel check compares them',
};

const iso = (at: number): string => new Date(at).toISOString();
const find = <T extends { id: string }>(list: readonly T[], id: string): T =>
  list.find((one) => one.id === id)!;
const keyOf = (list: readonly Numbered[], no: number): string => list.find((one) => one.no === no)!.key;

const SEQUENCE = any('numbers of changes say only in which order they came');
const NUMBERED = any('places and numbers of changes follow from the order');
const RANDOM = any('random');
const IN_TIMELINE = any('compared in the timeline');
const USERS_DATE = any('the date of a late event and of an import; dates are compared in summaries of days');

const NOT_IN_FORCE = any(
  'a streak that is not in force ends when the user is next settled, by a read or a change',
);

export function exportOf(model: Model, books: Books, userId: string, now: number): Expected {
  const { config } = model;
  const user = model.users.get(userId)!;
  const logged = books.log.of(userId)!;
  const notCompared = Object.entries(TABLES_NOT_COMPARED).map(([name, reason]) => [name, any(reason)]);
  return {
    user: profileOf(config, user),
    state: stateOf(config, user, now),
    records: { ...Object.fromEntries(notCompared), ...recordsOf(model, books, user, logged) },
  };
}

function stateOf(config: Config, user: ModelUser, now: number): Expected {
  const state = userStateOf(user, config);
  const overdue = FREQUENCIES.filter((frequency) => {
    const { length, deadline } = user.streaks[frequency];
    return frequency !== config.streak.frequency && length > 0 && deadline <= now;
  }).map((frequency) => [frequency, NOT_IN_FORCE]);
  const keyed = <T extends Expected>(list: readonly Numbered[], values: ReadonlyMap<number, T>): Row =>
    Object.fromEntries([...values].map(([no, value]) => [keyOf(list, no), value]));
  return {
    counters: config.counters
      .filter(({ no }) => state.counters.has(no))
      .map((counter) => ({ ...named(config, counter), total: state.counters.get(counter.no)! })),
    points: keyed(config.pointsSystems, state.points),
    achievements: keyed(
      config.achievements,
      new Map([...state.achievements].map(([no, at]) => [no, iso(at)])),
    ),
    timesCompleted: keyed(config.achievements, state.timesCompleted),
    challengeCompletions: keyed(config.challenges, state.challengeCompletions),
    leaderboards: any('ranks and values of the user are compared'),
    streaks: { ...(state.streaks as unknown as Row), ...Object.fromEntries(overdue) },
    streakFreezes: state.freezes,
    streakPauses: state.pauses as unknown as Expected,
  };
}

const named = (config: Config, { metricId, eventAttributes }: Counter): Record<string, Expected> => ({
  metric: find(config.metrics, metricId).key,
  eventAttributes: pairs(config, eventAttributes),
});

/** Leaves out totals of counters that nothing uses any more: they stay as they were then. */
function withoutUnused(
  found: readonly ShownCounter[],
  expected: readonly ShownCounter[],
  config: Config,
): ShownCounter[] {
  const text = (one: object): string => JSON.stringify(one);
  const known = expected.map(text);
  const unused = config.counters
    .filter((counter) => !isInUse(config, counter))
    .map((counter) => text(named(config, counter)));
  const takeFrom = (list: string[], one: object): boolean => {
    const index = list.indexOf(text(one));
    if (index !== -1) list.splice(index, 1);
    return index !== -1;
  };
  return found.filter((one) => {
    const { total, ...name } = one;
    return takeFrom(known, one) || !takeFrom(unused, name);
  });
}

function recordsOf(
  { config, rankings }: Model,
  { log }: Books,
  user: ModelUser,
  logged: LoggedUser,
): Record<string, Row[]> {
  const { achievements, attributes, challenges, leaderboards, metrics, pointsSystems } = config;
  return {
    users: [
      {
        ...{ created_at: iso(logged.created), control: user.control, name: user.name, email: user.email },
        ...{ name_sequence: SEQUENCE, email_sequence: SEQUENCE },
      },
    ],
    user_attributes: Object.entries(user.attributes).map(([id, value]) => ({
      ...{ attribute: find(attributes, id).key, value, sequence: SEQUENCE },
    })),
    event_history: logged.events.map(({ metricId, at, value, total }) => ({
      ...{ metric: find(metrics, metricId).key, recorded_at: iso(at), value, total, event_id: RANDOM },
      ...{ sequence: SEQUENCE, local_date: USERS_DATE, fingerprint: RANDOM },
      ...{ arrived_at: any('of a late event'), attributes: IN_TIMELINE },
    })),
    award_history: logged.awards.map(({ systemId, recordedAt, awarded, total, date }) => ({
      ...{ system: find(pointsSystems, systemId).key, recorded_at: iso(recordedAt), awarded, total },
      ...{ local_date: date.toISODate(), sequence: SEQUENCE, n: NUMBERED, id: RANDOM },
      ...{ trigger: IN_TIMELINE, boosts: IN_TIMELINE, reward: IN_TIMELINE },
    })),
    points_totals: [...user.points].map(([id, total]) => ({
      ...{ system: find(pointsSystems, id).key, total, sequence: SEQUENCE },
    })),
    completed_achievements: logged.completions.map(({ achievementId, at }) => ({
      ...{
        achievement: find(achievements, achievementId).key,
        completed_at: iso(at),
        local_date: USERS_DATE,
      },
    })),
    repeated_completions: logged.repeats.map(({ achievementId, at, times, firstAt }) => ({
      ...{ achievement: find(achievements, achievementId).key, sequence: SEQUENCE, times },
      ...{ completed_at: iso(at), local_date: USERS_DATE, first_at: iso(firstAt) },
    })),
    challenge_steps: logged.steps.flatMap(({ challenge, run, step, at }) =>
      step === null ? [] : [{ challenge: keyOf(challenges, challenge), run, step, happened_at: iso(at) }],
    ),
    streak_extensions: logged.periods.map(({ frequency, period, length, at, by }) => ({
      ...{ frequency, period: ordinal(frequency, period), length, local_date: USERS_DATE },
      ...{ extended_at: iso(at), made_good_by: by === 'event' ? null : by },
    })),
    streak_losses: logged.losses.map(({ frequency, length, at }) => ({
      ...{ frequency, period: any('follows from the periods'), length, lost_at: iso(at) },
    })),
    earned_freezes: logged.earnedFreezes.map(({ freezes, at }) => ({ earned_at: iso(at), freezes })),
    leaderboard_places: log.finalRankings.flatMap(({ name }) => {
      const [no, run] = name.split(':');
      const place = rankings.final.get(name)?.find(({ userId }) => userId === user.id);
      if (place === undefined) return [];
      const first = new Date(Number(run) * 86_400_000).toISOString().slice(0, 10);
      const { rank, value } = place;
      return {
        ...{ leaderboard: keyOf(leaderboards, Number(no)), run_start: first, rank, value, place: NUMBERED },
        ...{ ranking_group: IN_TIMELINE, tier: any('leagueSeason.slow'), outcome: any('leagueSeason.slow') },
      };
    }),
    hidden_users: leaderboards
      .filter(({ id }) => user.hiddenFrom.has(id))
      .map(({ key }) => ({ leaderboard: key, reason: 'A test', hidden_at: any('in the audit log') })),
    erasures: [],
    blocked_users: user.block
      ? [
          {
            ...{ reason: 'A test', blocked_at: any('in the audit log') },
            until: user.block.until === null ? null : iso(user.block.until),
          },
        ]
      : [],
  };
}

/**
 * Brings the rows of tables, which have no order, into that of their contents, and leaves out values that were
 * removed, blocks that are over, and counters that nothing uses any more.
 */
export function arrangeExport(
  body: { state: { counters: ShownCounter[] } | null; records: Record<string, unknown> },
  expected: Expected,
  config: Config,
  now: number,
): void {
  const { records, state } = expected as unknown as {
    records: Record<string, unknown>;
    state: { counters: ShownCounter[] };
  };
  body.state!.counters = withoutUnused(body.state!.counters, state.counters, config);
  const isSet = (row: unknown): boolean => (row as { value: unknown }).value !== null;
  body.records.user_attributes = (body.records.user_attributes as unknown[]).filter(isSet);
  const isInForce = ({ until }: { until: string | null }): boolean =>
    until === null || Date.parse(until) > now;
  body.records.blocked_users = (body.records.blocked_users as { until: string | null }[]).filter(isInForce);
  for (const [name, rows] of Object.entries(records)) {
    if (!Array.isArray(rows) || !Array.isArray(body.records[name])) continue;
    const compared = Object.keys(rows[0] ?? {})
      .filter((column) => !((rows[0] as Row)[column] instanceof Excused))
      .sort();
    const text = (row: unknown): string => JSON.stringify(compared.map((column) => (row as Row)[column]));
    const order = (a: unknown, b: unknown): number => (text(a) < text(b) ? -1 : 1);
    rows.sort(order);
    body.records[name].sort(order);
  }
  const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  for (const one of [state, body.state!]) one.counters.sort(byText);
}
