import { words } from '../../format.ts';

/** Names and explanations of fields, where those of the contract are made for programs. */

const LABELS: Record<string, string> = {
  metricId: 'Metric',
  metricValue: 'Total to reach',
  metricThreshold: 'Every',
  pointsSystemId: 'Points system',
  systemId: 'Points system',
  achievementId: 'Achievement',
  achievementIds: 'Achievements to complete first',
  attributeId: 'Attribute',
  attributeValue: 'Value',
  userAttributes: 'Only for users with',
  eventAttributes: 'Only events with',
  anniversaryYears: 'Years since sign-up',
  breakdownAttributes: 'A ranking for each',
  trigger: 'What completes it',
  hidden: 'Secret until it is completed',
  unitType: 'What is counted',
  units: 'Unit',
  rankBy: 'Rank by',
  sortOrder: 'Best',
  aggregation: 'Score',
  ties: 'Equal scores',
  maxParticipants: 'Most ranked users',
  startTime: 'Counts from',
  endTime: 'Counts until',
  timeZone: 'Runs by the time zone',
  start: 'First day',
  end: 'Last day',
  url: 'URL',
  appName: 'Name of the app',
  appUrl: 'URL of the app',
  appIcon: 'Icon of the app',
  userActivationWindow: 'Days that count as early',
  tz: 'Time zone',
  runUnit: 'A new run each',
  runInterval: 'How many of them',
  timeUnit: 'Unit of time',
  timeInterval: 'Every',
  controlRatio: 'Percent in the control group',
  customizationEnabled: 'Users may choose their own',
  evaluationMode: 'A period is kept by',
  autoEarnInterval: 'Days until some are earned',
  autoEarnAmount: 'Earned each time',
  maxCount: 'Most that a user can have',
  startCount: 'Given to new users',
  maxPoints: 'Most that a user can have',
  threshold: 'Total in each period',
  groupSize: 'Users in a group',
  promote: 'How many go up',
  demote: 'How many go down',
  idle: 'Users without a rank',
  aggregationPeriod: 'Recaps are sent',
  maxAgeSeconds: 'Oldest timestamp, in seconds',
  idempotencyWindowSeconds: 'Idempotency window, in seconds',
  multiTenancy: 'Several tenants, each with its own users and configuration',
  adoptAs: 'Id of the tenant that today’s users get',
  enabled: 'Users have a streak',
  frequency: 'How often',
  from: 'From rank',
  promoted: 'Only users who go up',
  lastDay: 'Last day of the run',
  takesBack: 'Take back, too',
  tier: 'Key of a tier',
  to: 'To rank',
  blockIfOutOfPoints: 'Refuse events that cost more than the user has',
};

/** @param path names of the fields from the outside to this one */
export function labelOf(path: string[]): string {
  const name = path.at(-1)!;
  // A metric of the streak is named by its key.
  return path.at(-2) === 'metrics' && name === 'key' ? 'Metric' : (LABELS[name] ?? words(name));
}

const HINTS: Record<string, string> = {
  key: 'How your code names it: letters, digits, - and _. Your code depends on it, so choose it for good.',
  name: '',
  metricId: '',
  metricValue: 'Sum of the values of all events of a user.',
  metricThreshold: 'The points are given each time the total of a user passes a multiple of this.',
  pointsSystemId: '',
  systemId: '',
  achievementId: '',
  achievementIds: 'All of them.',
  attributeId: '',
  streakLength: 'In periods of the streak: days, weeks or months.',
  anniversaryYears: '',
  userAttributes: 'Leave it empty for all users.',
  eventAttributes: 'Leave it empty to count all events.',
  breakdownAttributes:
    'Users with the same value compete with each other only. Leave it empty for one ranking.',
  status: '',
  start: '',
  end: '',
  runInterval: '',
  timeUnit: 'Hours are those of UTC, days those of the user.',
  timeInterval: '',
  startTime: 'In the time zone of the user, such as 08:30. Leave it empty to count all day.',
  endTime: '',
  timeZone:
    'Such as Asia/Tokyo: runs begin and end for everybody at once. Leave it empty for the zone of each user.',
  lastDay: 'Leave it empty to end the run as early as possible.',
  rankBy: '',
  sortOrder: '',
  aggregation: '',
  ties: '',
  unitType: '',
  action: 'What becomes of an event that a guard does not let through. Without a choice, it is refused.',
  role: 'Read: sees everything. Operate: also changes users and sends again what failed. Admin: everything.',
  runUnit: 'Without it, the ranking never starts again.',
  trigger: '',
  hidden: 'Only users who have completed it see it.',
  threshold: '',
  metrics: 'What a user must do in each period.',
  evaluationMode: '',
  daysOff: 'On these days a daily streak needs nothing. At most six.',
  startCount: '',
  maxCount: '',
  autoEarnInterval: 'Leave it empty if users earn none.',
  autoEarnAmount: '',
  idempotencyWindowSeconds:
    'How long an idempotency key is remembered. After that, the same key records a new event. Leave it empty for ever.',
  maxPoints: 'Leave it empty for no maximum. Users who have more keep it.',
  maxParticipants: 'In each group, up to 1,000.',
  rounding: 'How the product is rounded.',
  multiplier: 'Such as 2 for twice the points. Points that are taken stay as they are.',
  blockIfOutOfPoints: '',
  from: '',
  to: '',
  tier: 'Only users who play in it, or who reach it if they go up. Leave it empty for all tiers.',
  promoted: '',
  idle: '',
  multiTenancy: '',
  rewards:
    'Given when a run is final: points, or an achievement that your backend completes. Choose ranks, or a tier of a league or those who go up, or both.',
};

/** The explanation below a field; empty if its label says enough. */
export function hintOf(path: string[], description = ''): string {
  const name = path.at(-1)!;
  if (path.at(-2) === 'metrics' && name === 'key') return '';
  return (HINTS[name] ?? description).replaceAll('`', '');
}

/** How people call the choices of a field, by the name of the field. */
const CHOICES: Record<string, Record<string, string>> = {
  trigger: {
    metric: 'A total of a metric',
    streak: 'A length of the streak',
    api: 'Your backend says so',
    achievement: 'Other achievements',
    anniversary: 'Years since sign-up',
  },
  type: {
    metric: 'For what users do (a metric)',
    achievement: 'For an achievement',
    streak: 'For the streak',
    time: 'As time passes',
    user_creation: 'For new users',
    user: 'Users',
    event: 'Events',
  },
  rankBy: { metric: 'A metric', points: 'Points', streak: 'The streak' },
  sortOrder: { desc: 'The highest score', asc: 'The lowest score' },
  aggregation: { sum: 'The sum of all events', best: 'The best event', latest: 'The latest event' },
  ties: { arrival: 'Who was first is ahead', shared: 'Share a rank' },
  evaluationMode: { OR: 'Any of the metrics', AND: 'All of the metrics' },
  unitType: { number: 'A number', currency: 'Money' },
  action: { refuse: 'Refuse the event', clamp: 'Reduce the value', hold: 'Hold it for a review' },
  rounding: { down: 'Down', up: 'Up', nearest: 'To the nearest' },
  idle: { stay: 'Keep their tier', demote: 'Go down a tier' },
  channel: { email: 'Email', push: 'Push notification' },
  takesBack: { points: 'The points', all: 'The points and the achievements' },
};

/** The name of a choice that has a better one than the contract; undefined for any other value. */
export const namedChoice = (path: string[], choice: string): string | undefined =>
  CHOICES[path.at(-1)!]?.[choice];

/** Choices that are named by what happens without one. */
const UNSET: Record<string, string> = { runUnit: 'Never', takesBack: 'Nothing' };

/** What a field means while nothing is chosen in it: its default, where the contract says it. */
export function unsetChoice(path: string[], description = ''): string {
  const [, byDefault] = /Default: `(\w+)`/.exec(description) ?? [];
  if (byDefault !== undefined) return `Default: ${choiceName(path, byDefault)}`;
  return UNSET[path.at(-1)!] ?? '(none)';
}

/** @param path names of the fields from the outside to this one */
export const choiceName = (path: string[], choice: string): string =>
  namedChoice(path, choice) ?? (path.at(-1) === 'events' ? choice : words(choice));
