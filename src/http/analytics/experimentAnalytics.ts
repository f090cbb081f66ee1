import type { GetExperiment } from '../../contract/experiment.ts';
import { compareProportions, DIFFERENCE_METHOD } from '../../rules/proportions.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { rounded } from './range.ts';
import { readCohortQuery, readGroups, type Week } from './retentionAnalytics.ts';

const NOBODY: Week = { week: 0, users: 0, retained: 0, rate: null };

/** GET /admin/v1/analytics/experiment */
export async function getExperiment(
  call: OperationRequest<typeof GetExperiment>,
): Promise<OperationResponse<typeof GetExperiment>> {
  const { rules, query } = call;
  const asked = readCohortQuery(call, query);
  const groups = await readGroups(call, asked, 'control');
  const weeksOf = (group: string): Week[] => {
    const counts = groups.get(group);
    return counts?.weeks(counts.cohorts, asked) ?? [];
  };
  const [treated, control] = [weeksOf('treated'), weeksOf('control')];
  const weeks = Array.from({ length: Math.max(treated.length, control.length) }, (_, week) =>
    compareWeek(week, treated[week] ?? NOBODY, control[week] ?? NOBODY, query.confidence / 100),
  );
  return ok({
    timeZone: asked.timeZone,
    controlRatio: rules.config.settings.controlRatio,
    method: DIFFERENCE_METHOD,
    confidence: query.confidence,
    weeks,
  });
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
