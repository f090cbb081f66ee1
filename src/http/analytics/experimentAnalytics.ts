import { GetExperiment } from '../../contract/experiment.ts';
import type { ResponseOf } from '../../contract/operation.ts';
import { readSettingSince } from '../../db/configuration/configVersions.ts';
import { dateOfDay, localTime, periodDays, weekOfDay } from '../../rules/calendar.ts';
import {
  compareProportions,
  DIFFERENCE_METHOD,
  shareProbability,
  usersToFind,
} from '../../rules/proportions.ts';
import { type Caller, endpoint, ok } from '../request/endpoint.ts';
import { rounded } from './range.ts';
import { type Cohorts, type Group, readCohortQuery, readGroups, type Week } from './retentionAnalytics.ts';

/** Usual for this check, so that a warning is no chance of many looks. */
const MISMATCH_PROBABILITY = 0.001;

const DAYS_OF_WEEK = 7;
const PERCENT = 100;

type Experiment = ResponseOf<typeof GetExperiment>;

const NOBODY: Week = { week: 0, users: 0, retained: 0, rate: null };

export const getExperiment = endpoint(GetExperiment, async (call) => {
  const { rules, query } = call;
  const asked = readCohortQuery(call, query);
  const groups = await readGroups(call, asked, 'control');
  const { controlRatio, userActivationWindow } = rules.config.settings.experimentation;
  const weeksOf = (group: string): Week[] => {
    const counts = groups.get(group);
    return counts?.weeks(counts.cohorts, asked) ?? [];
  };
  const shares = await compareShares(call, asked, groups);
  const [treated, control] = [weeksOf('treated'), weeksOf('control')];
  const weeks = Array.from({ length: Math.max(treated.length, control.length) }, (_, week) => ({
    isEarly: week * DAYS_OF_WEEK < userActivationWindow,
    ...compareWeek(week, treated[week] ?? NOBODY, control[week] ?? NOBODY, query.confidence / PERCENT),
  }));
  return ok({
    timeZone: asked.timeZone,
    controlRatio,
    userActivationWindow,
    method: DIFFERENCE_METHOD,
    confidence: query.confidence,
    verdict: judge({ shares, weeks, userActivationWindow }, query),
    shares,
    weeks,
  });
});

/** Whether as many users are in the control group as the settings say (sample ratio mismatch). */
async function compareShares(
  { service, rules }: Caller,
  { timeZone, cohorts }: Cohorts,
  groups: Map<string, Group>,
): Promise<Experiment['shares']> {
  const { controlRatio } = rules.config.settings.experimentation;
  if (controlRatio === 0 || controlRatio === 100) return null;
  const since = await readSettingSince(service.pool, rules.tenant, ['experimentation', 'controlRatio']);
  // The week in which the share was changed has users of both shares.
  const first = since === null ? cohorts.from : weekOfDay(localTime(timeZone, since).day) + 1;
  const from = Math.max(cohorts.from, first);
  const usersOf = (group: string): number => {
    const counts = groups.get(group);
    return counts?.size(counts.cohorts.filter((cohort) => cohort >= from)) ?? 0;
  };
  const [treatedUsers, controlUsers] = [usersOf('treated'), usersOf('control')];
  const probability = shareProbability(
    { of: treatedUsers + controlUsers, count: controlUsers },
    controlRatio / 100,
  );
  return {
    from: dateOfDay(periodDays('weekly', from).start),
    treatedUsers,
    controlUsers,
    probability,
    isMismatch: probability !== null && probability < MISMATCH_PROBABILITY,
  };
}

/**
 * The verdict about the one week that counts. It waits for enough users, because a result that is looked at
 * every day is significant by chance on one of them.
 */
function judge(
  { shares, weeks, userActivationWindow }: Pick<Experiment, 'shares' | 'weeks' | 'userActivationWindow'>,
  asked: { confidence: number; difference: number },
): Experiment['verdict'] {
  const week = Math.max(1, Math.ceil(userActivationWindow / DAYS_OF_WEEK) - 1);
  const compared = weeks[week];
  if (compared?.differenceLow == null) return null;
  const { treatedUsers, controlUsers, controlRetained } = compared;
  const users = treatedUsers + controlUsers;
  const difference = asked.difference / PERCENT;
  const usersEnough = usersToFind(difference, {
    rate: controlRetained / controlUsers,
    controlShare: controlUsers / users,
    confidence: asked.confidence / PERCENT,
  });
  const usersNeeded = Math.max(0, usersEnough - users);
  const outcome = outcomeOf(compared, usersNeeded, shares?.isMismatch ?? false);
  return { week, outcome, difference, usersNeeded };
}

function outcomeOf(
  { difference, isSignificant }: Experiment['weeks'][number],
  usersNeeded: number,
  isMismatch: boolean,
): NonNullable<Experiment['verdict']>['outcome'] {
  if (isMismatch) return 'untrusted';
  if (usersNeeded > 0) return 'waiting';
  if (!isSignificant) return 'same';
  return difference! > 0 ? 'better' : 'worse';
}

function compareWeek(week: number, treated: Week, control: Week, confidence: number) {
  const interval = compareProportions(
    { of: treated.users, count: treated.retained },
    { of: control.users, count: control.retained },
    confidence,
  );
  const controlRate = control.users === 0 ? 0 : control.retained / control.users;
  return {
    week,
    treatedUsers: treated.users,
    treatedRetained: treated.retained,
    treatedRate: treated.rate,
    controlUsers: control.users,
    controlRetained: control.retained,
    controlRate: control.rate,
    difference: interval && rounded(interval.difference),
    differenceLow: interval && rounded(interval.low),
    differenceHigh: interval && rounded(interval.high),
    lift: interval && controlRate > 0 ? rounded(interval.difference / controlRate) : null,
    isSignificant: interval !== null && (interval.low > 0 || interval.high < 0),
  };
}
