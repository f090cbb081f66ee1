import { words } from '../../text/format.ts';

/** Labels and hints of fields, where those of the contract are written for programs. */

const LABELS: Record<string, string> = {
  metricId: 'Metric',
  metricValue: 'Target total',
  metricThreshold: 'For every',
  pointsSystemId: 'Points system',
  systemId: 'Points system',
  achievementId: 'Achievement',
  achievementIds: 'Required achievements',
  attributeId: 'Attribute',
  attributeValue: 'Value',
  userAttributes: 'Only users with',
  eventAttributes: 'Only events with',
  where: 'Only events for which',
  aggregate: 'What is counted',
  valueType: 'Values',
  anniversaryYears: 'Years since sign-up',
  complete: 'Completed by',
  pick: 'Goals of each user',
  join: 'Who takes part',
  claim: 'Rewards are given',
  claimDays: 'Days to claim',
  hoursBefore: 'Hours before the end',
  breakdownAttributes: 'Separate rankings by',
  trigger: 'Completed by',
  hidden: 'Hidden until completed',
  unitType: 'Type of unit',
  units: 'Unit',
  rankBy: 'Rank by',
  sortOrder: 'Best score',
  aggregation: 'Score',
  ties: 'Ties',
  maxParticipants: 'Maximum ranked users',
  startTime: 'Counts from',
  endTime: 'Counts until',
  timeZone: 'Time zone of runs',
  start: 'First day',
  end: 'Last day',
  url: 'URL',
  appName: 'App name',
  appUrl: 'App URL',
  appIcon: 'App icon',
  userActivationWindow: 'Activation window in days',
  tz: 'Time zone',
  runUnit: 'Reset every',
  runInterval: 'Interval',
  timeUnit: 'Time unit',
  timeInterval: 'Every',
  controlRatio: 'Control group, in percent',
  customizationEnabled: 'Users can change it',
  evaluationMode: 'Conditions to meet',
  autoEarnInterval: 'Days between earned freezes',
  autoEarnAmount: 'Freezes earned each time',
  maxCount: 'Maximum per user',
  startCount: 'Initial freezes of new users',
  maxPoints: 'Maximum per user',
  threshold: 'Total per period',
  groupSize: 'Users per group',
  promote: 'Promoted users',
  demote: 'Demoted users',
  idle: 'Users without a rank',
  aggregationPeriod: 'Recap frequency',
  maxAgeSeconds: 'Maximum age of timestamps, in seconds',
  idempotencyWindowSeconds: 'Idempotency window, in seconds',
  multiTenancy: 'Multi-tenancy: several tenants, each with its own users and configuration',
  adoptAs: 'ID of the tenant for existing users',
  enabled: 'Enable streaks',
  from: 'From rank',
  promoted: 'Only promoted users',
  lastDay: 'Last day of the run',
  minValue: 'Minimum value',
  maxValue: 'Maximum value',
  cooldownSeconds: 'Cooldown, in seconds',
  signUpDate: 'Sign-up date',
  takesBack: 'Also take back',
  tier: 'Tier key',
  to: 'To rank',
  blockIfOutOfPoints: 'Refuse events that cost more points than the user has',
};

/** @param path names of the fields from the form to this one */
export function labelOf(path: string[]): string {
  const name = path.at(-1)!;
  // The streak refers to metrics by their key.
  return path.at(-2) === 'metrics' && name === 'key' ? 'Metric' : (LABELS[name] ?? words(name));
}

const HINTS: Record<string, string> = {
  key: 'Identifies it in the API and in your code: letters, digits, - and _. Do not change it later.',
  metricValue: 'The sum of the values of all events of a user.',
  metricThreshold: 'Points are awarded each time the total of a user passes a multiple of this.',
  streakLength: 'In periods of the streak: days, weeks or months.',
  userAttributes: 'Leave empty for all users.',
  eventAttributes: 'Leave empty to count all events.',
  valueType: 'Other values are refused. It cannot change while a condition names the attribute.',
  breakdownAttributes:
    'Users compete only with users who have the same value. Leave empty for a single ranking.',
  timeUnit: 'Hours are in UTC, days in the time zone of the user.',
  startTime: 'In the time zone of the user, such as 08:30. Leave empty to count all day.',
  timeZone:
    'A zone such as Asia/Tokyo makes runs start and end for all users at once. Leave empty to use the time zone of each user.',
  lastDay: 'Leave empty to end the run as soon as possible.',
  action: 'What happens to an event that violates a guard. The default is to refuse it.',
  role: 'Read: view everything. Operate: also change users and retry failed work. Admin: everything.',
  runUnit: 'Without a choice, there is a single run.',
  hidden: 'Only users who have completed it can see it.',
  metrics: 'What users must do in each period.',
  daysOff: 'Days on which a daily streak requires no activity. At most six.',
  autoEarnInterval: 'Leave empty if users do not earn freezes.',
  idempotencyWindowSeconds:
    'How long idempotency keys are stored. After that, the same key records a new event. Leave empty to store them forever.',
  maxPoints: 'Leave empty for no maximum. Users above the maximum keep their points.',
  maxParticipants: 'Per group, up to 1,000.',
  rounding: 'Rounding of the multiplied points.',
  multiplier: 'For example, 2 doubles the points. Deducted points are not multiplied.',
  tier: 'Only users in this tier; with promotion, users who reach it. Leave empty for all tiers.',
  rewards:
    'Awarded when a run is final: points, or an achievement of the type “Your backend”. Limit them to ranks, to a tier or promoted users of a league, or to both.',
};

/** Fields whose label is enough, although the contract explains them. */
const WITHOUT_HINT = [
  ...['name', 'metricId', 'pointsSystemId', 'systemId', 'achievementId', 'attributeId'],
  ...['anniversaryYears', 'status', 'start', 'end', 'runInterval', 'timeInterval', 'endTime', 'rankBy'],
  ...['sortOrder', 'aggregation', 'ties', 'unitType', 'trigger', 'threshold', 'evaluationMode'],
  ...['startCount', 'maxCount', 'autoEarnAmount', 'blockIfOutOfPoints', 'from', 'to', 'promoted'],
  ...['idle', 'multiTenancy', 'join', 'claim'],
];

/** The hint below a field; empty if the label is enough. */
export function hintOf(path: string[], description = ''): string {
  const name = path.at(-1)!;
  if (WITHOUT_HINT.includes(name) || (path.at(-2) === 'metrics' && name === 'key')) return '';
  return (HINTS[name] ?? description).replaceAll('`', '');
}

/** Labels of choices, by field. */
const CHOICES: Record<string, Record<string, string>> = {
  trigger: {
    metric: 'Total of a metric',
    streak: 'Streak length',
    api: 'Your backend',
    achievement: 'Other achievements',
    anniversary: 'Years since sign-up',
  },
  type: {
    metric: 'Activity (metric)',
    achievement: 'Achievement',
    streak: 'Streak',
    time: 'Time interval',
    user_creation: 'New user',
    user: 'Users',
    event: 'Events',
  },
  rankBy: { metric: 'Metric', points: 'Points', streak: 'Streak' },
  valueType: { text: 'Text', number: 'Number', boolean: 'Yes or no', date: 'Date' },
  sortOrder: { desc: 'Highest', asc: 'Lowest' },
  aggregation: { sum: 'Sum of all events', best: 'Best event', latest: 'Latest event' },
  ties: { arrival: 'First to reach the score ranks higher', shared: 'Equal scores share a rank' },
  evaluationMode: { OR: 'Any metric', AND: 'All metrics' },
  unitType: { number: 'Number', currency: 'Currency' },
  action: { refuse: 'Refuse the event', clamp: 'Reduce the value', hold: 'Hold for review' },
  rounding: { down: 'Down', up: 'Up', nearest: 'Nearest' },
  idle: { stay: 'Keep their tier', demote: 'Are demoted' },
  join: { automatic: 'All users', optIn: 'Users who have joined' },
  claim: { automatic: 'With the completion', manual: 'When the user claims them' },
  channel: { email: 'Email', push: 'Push notification' },
  takesBack: { points: 'Points', all: 'Points and achievements' },
};

/** Label of a choice; undefined for values without one. */
export const namedChoice = (path: string[], choice: string): string | undefined =>
  CHOICES[path.at(-1)!]?.[choice];

/** Labels of no choice. */
const UNSET: Record<string, string> = {
  runUnit: 'Never',
  per: 'For ever',
  repeat: 'Once',
  takesBack: 'Nothing',
};

/** Label of no choice: the default, if the contract names one. */
export function unsetChoice(path: string[], description = ''): string {
  const [, byDefault] = /Default: `(\w+)`/.exec(description) ?? [];
  if (byDefault !== undefined) return `Default: ${choiceName(path, byDefault)}`;
  return UNSET[path.at(-1)!] ?? '(none)';
}

/** @param path names of the fields from the form to this one */
export const choiceName = (path: string[], choice: string): string =>
  namedChoice(path, choice) ?? (path.at(-1) === 'events' ? choice : words(choice));

/** Days off as the API numbers them: 0 is Sunday. Weeks start on Monday. */
export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map(
  (label, i) => ({ value: String((i + 1) % 7), label }),
);
