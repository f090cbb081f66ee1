import {
  DAYS_OFF_MAX,
  FREEZE_INTERVAL_DAYS_MAX,
  FREEZES_EARNED_MAX,
  FREEZES_MAX,
  STREAK_THRESHOLD_MAX,
} from '../../base/limits.ts';
import type { Config, StreakFreezes, StreakSettings } from '../../rules/config.ts';
import { checkWhole, type Report } from '../kinds/ruleChecks.ts';

/** The rules of the streak settings. */
export function checkStreak({ streak, metrics }: Config, report: Report): void {
  if (streak.enabled && streak.metrics.length === 0)
    report('metrics', 'must name a metric when the streak is enabled');
  checkDaysOff(streak, report);
  const known = new Set(metrics.map(({ key }) => key));
  const named = new Set<string>();
  streak.metrics.forEach(({ key, threshold }, index) => {
    if (!known.has(key)) report(`metrics[${index}].key`, 'must name an existing metric');
    else if (named.has(key)) report(`metrics[${index}].key`, 'names the same metric twice');
    named.add(key);
    checkWhole(report, `metrics[${index}].threshold`, threshold, 1, STREAK_THRESHOLD_MAX);
  });
  if (streak.freezes) checkFreezes(streak.freezes, report);
}

function checkDaysOff({ frequency, daysOff }: StreakSettings, report: Report): void {
  daysOff.forEach((weekday, index) => {
    checkWhole(report, `daysOff[${index}]`, weekday, 0, 6);
    if (daysOff.indexOf(weekday) < index) report(`daysOff[${index}]`, 'names the same weekday twice');
  });
  if (daysOff.length > DAYS_OFF_MAX) report('daysOff', `must not hold more than ${DAYS_OFF_MAX} weekdays`);
  if (daysOff.length > 0 && frequency !== 'daily')
    report('daysOff', 'must be empty unless frequency is daily');
}

function checkFreezes(freezes: StreakFreezes, report: Report): void {
  const { startCount, maxCount, autoEarnInterval, autoEarnAmount } = freezes;
  checkWhole(report, 'freezes.startCount', startCount, 0, FREEZES_MAX);
  checkWhole(report, 'freezes.maxCount', maxCount, 1, FREEZES_MAX);
  if (maxCount < startCount) report('freezes.maxCount', 'must not be less than freezes.startCount');
  checkWhole(report, 'freezes.autoEarnInterval', autoEarnInterval, 1, FREEZE_INTERVAL_DAYS_MAX);
  checkWhole(report, 'freezes.autoEarnAmount', autoEarnAmount, 1, FREEZES_EARNED_MAX);
  if (autoEarnInterval === null && autoEarnAmount !== null) {
    report('freezes.autoEarnInterval', 'is required with freezes.autoEarnAmount');
  }
  if (autoEarnAmount === null && autoEarnInterval !== null) {
    report('freezes.autoEarnAmount', 'is required with freezes.autoEarnInterval');
  }
}
