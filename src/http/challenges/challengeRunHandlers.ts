import { findEntity } from '../../admin/kinds/findEntity.ts';
import { DRAWN_USERS } from '../../base/challengeLimits.ts';
import { medianOfSteps } from '../../base/timeSteps.ts';
import { DrawGoals, ListChallengeRuns } from '../../contract/configured/challengeAnalytics.ts';
import type { ResponseOf } from '../../contract/operation.ts';
import type { CountKind } from '../../db/analytics/dailyCounts.ts';
import { type PeriodCount, readCounts } from '../../db/analytics/readAnalytics.ts';
import { loadLastNumbers } from '../../db/configuration/storeConfig.ts';
import { readFirstUsers } from '../../db/users/listUsers.ts';
import { dateOfDay, dayOfDate, firstDayAnywhere, localTime } from '../../rules/calendar.ts';
import { daysOfRun, runOfChallenge } from '../../rules/challenges/challengeRuns.ts';
import { drawnGoals } from '../../rules/challenges/drawnGoals.ts';
import type { Challenge } from '../../rules/config.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { invalid } from '../request/refuse.ts';

type RunAnalytics = ResponseOf<typeof ListChallengeRuns>[number];

export const listChallengeRuns = endpoint(ListChallengeRuns, async ({ service, rules, path, query }) => {
  const challenge = findEntity(rules.config, 'challenges', path.id);
  const runs = runsOfPage(challenge, firstDayAnywhere(service.clock.now()), query);
  if (runs.length === 0) return ok([]);
  const [from, to] = [daysOfRun(challenge, runs.at(-1)!).start, daysOfRun(challenge, runs[0]!).start];
  const counts = await service.history.read(rules.tenant, (rows) =>
    readCounts(
      rows,
      rules.tenant,
      ['challengeGoals', 'challengeCompletions', 'challengeClaims'],
      { from, to, interval: 'day' },
      'both',
      challenge.no,
    ),
  );
  return ok(runs.map((run) => analyticsOf(challenge, run, counts)));
});

/** Numbers of runs that have begun by a day, the latest first. */
function runsOfPage(challenge: Challenge, day: number, { limit, skip }: { limit: number; skip: number }) {
  const end = challenge.end === null ? Infinity : dayOfDate(challenge.end);
  const latest = runOfChallenge(challenge, Math.min(day, end));
  if (latest === null) return [];
  return Array.from({ length: Math.max(0, Math.min(limit, latest + 1 - skip)) }, (_, i) => latest - skip - i);
}

function analyticsOf(challenge: Challenge, run: number, counts: readonly PeriodCount[]): RunAnalytics {
  const { start, end } = daysOfRun(challenge, run);
  const ofRun = counts.filter((row) => row.start === start);
  const sumOf = (kind: CountKind): number =>
    ofRun.reduce((sum, row) => (row.kind === kind ? sum + row.count : sum), 0);
  const usersWith = (goal: string): number =>
    ofRun.find(({ kind, detail }) => kind === 'challengeGoals' && detail === goal)?.count ?? 0;
  const times = ofRun.filter(({ kind, detail }) => kind === 'challengeCompletions' && detail !== '');
  return {
    run: dateOfDay(start),
    end: end === null ? null : dateOfDay(end),
    users: usersWith(''),
    goals: challenge.goals.map(({ key, name }) => ({ key, name, users: usersWith(key) })),
    completed: sumOf('challengeCompletions'),
    claimed: challenge.claim === 'manual' ? sumOf('challengeClaims') : null,
    medianSeconds: medianOfSteps(times.map(({ detail, count }) => ({ step: Number(detail), count }))),
  };
}

export const drawGoals = endpoint(DrawGoals, async ({ service, rules, body }) => {
  const { id, goals, pick = null } = body;
  const [runUnit, runInterval] = [body.runUnit ?? null, body.runInterval ?? null];
  if ((runUnit === null) !== (runInterval === null)) throw invalid('runUnit needs runInterval');
  const { day } = localTime(rules.config.settings.defaultTimeZone, service.clock.now());
  const dates = { start: body.start ?? dateOfDay(day), end: null, runUnit, runInterval };
  const no =
    id === undefined
      ? (await loadLastNumbers(service.pool, rules.tenant)).challenges + 1
      : findEntity(rules.config, 'challenges', id).no;
  const present = runOfChallenge(dates, day) ?? 0;
  const runs = runUnit === null ? [present] : [present, present + 1];
  const users = await service.history.read(rules.tenant, (rows) =>
    readFirstUsers(rows, rules.tenant, DRAWN_USERS),
  );
  return ok(
    users.map(({ userId, name }) => ({
      id: userId,
      name,
      runs: runs.map((run) => ({
        run: dateOfDay(daysOfRun(dates, run).start),
        goals: drawnGoals(rules.tenant, { no, goals, pick }, userId, run).map(({ key, name: shown }) => ({
          key,
          name: shown,
        })),
      })),
    })),
  );
});
