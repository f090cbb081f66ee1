import Type from 'typebox';
import { TRIAL_CURSOR_CHARS_MAX, TRIAL_DAYS, TRIAL_EXAMPLES_MAX } from '../../base/trialLimits.ts';
import { nextCursor } from '../adminUsers.ts';
import { operation } from '../operation.ts';
import { double, Instant, integer, named, nullable, text, Uuid, uuid } from '../schemas.ts';
import { UpdateStreakSettings } from './adminConfiguration.ts';
import { ADMIN_RESOURCES } from './adminEntities.ts';

/** Trials: what an item would have done if it had been in force (docs/trials.md). */

/** What the figures of a trial are. */
export const FIGURES = {
  completions: 'users who completed the achievement',
  pointsGained: 'points that users gained in the system',
  pointsTaken: 'points that users lost in the system',
  usersAwarded: 'users whom the trigger gave or took points',
  events: 'events that applications sent and that counted or were held',
  eventsHeld: 'events that a guard held',
  eventsRefused: 'events that a guard refused',
  eventsReduced: 'events whose value a guard reduced',
  streaksExtended: 'periods in which streaks grew',
  streaksLost: 'streaks that users lost',
  freezesUsed: 'periods in which a freeze saved a streak',
  usersWithStreak: 'users with a streak, today',
  usersRanked: 'users with a score in at least one of the runs',
  participants: 'users with a score in the run that `of` names by its first day',
  usersAtLevel: 'users at the level that `of` names by its key, or below the first one, today',
} as const;

const TrialFigure = named('TrialFigure', {
  name: Type.Enum(Object.keys(FIGURES) as (keyof typeof FIGURES)[], {
    description: Object.entries(FIGURES)
      .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
      .join('; '),
  }),
  of: nullable(text('Key of what the figure is about, if there are several.')),
  before: nullable(double('As it really was; null if that is not known.')),
  after: double('As it would have been.'),
});
export type TrialFigure = Type.Static<typeof TrialFigure>;

const TrialExample = named('TrialExample', {
  userId: Type.String(),
  name: nullable(Type.String()),
  at: nullable({ ...Instant, description: 'When it would have happened, if it happens once.' }),
  before: nullable(double('What the user really had of it.')),
  after: nullable(double('What the user would have had.')),
});
export type TrialExample = Type.Static<typeof TrialExample>;

const Trial = named('Trial', {
  from: Instant,
  until: Instant,
  days: integer('Length of the time between.'),
  usersExamined: integer('The figures are about so many users.'),
  users: integer('All users.'),
  figures: Type.Array(TrialFigure),
  examples: Type.Array(TrialExample, {
    description: `Up to ${TRIAL_EXAMPLES_MAX} of the users whom this call examined and for whom something changes.`,
  }),
  leavesOut: Type.Array(Type.String(), { description: 'What the figures do not contain.' }),
  cursor: nextCursor,
});
export type TrialAnswer = Type.Static<typeof Trial>;

/** The kinds of items that can be tried. */
export const TRIED_KINDS = [
  'achievements',
  'pointsTriggers',
  'metrics',
  'pointsLevels',
  'pointsBoosts',
  'leaderboards',
] as const;
export type TriedKind = (typeof TRIED_KINDS)[number];

const cursor = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: TRIAL_CURSOR_CHARS_MAX,
    description: '`cursor` of the previous answer, with the same item.',
  }),
);

const DESCRIPTION =
  `Says what it would have done if it had been in force in the last ${TRIAL_DAYS} days, from the history. Nothing changes. ` +
  'A call examines some of the users: with `cursor` the next call adds those that follow, until `cursor` is null.';

function tryOperation(kind: TriedKind) {
  const { name, path, tag, one, create, examples, parent } = ADMIN_RESOURCES[kind];
  const item = Type.Object({
    ...create.properties,
    id: Type.Optional(uuid('Of the item that it replaces; a field that is left out then stays.')),
  });
  return operation({
    name: `try${name.slice(0, -'s'.length)}`,
    route: `POST ${path}/try` as const,
    tag,
    summary: `Try one of the ${one === 'trigger' ? 'triggers' : `${one}s`} before it is saved`,
    description: DESCRIPTION,
    role: 'read',
    ...(parent && { path: Type.Object({ systemId: Uuid }) }),
    request: Type.Object({ item, cursor }, { examples: [{ item: examples![0]! }] }),
    responses: { 200: Trial },
  });
}

export const TRY_OPERATIONS = Object.fromEntries(
  TRIED_KINDS.map((kind) => [kind, tryOperation(kind)]),
) as Record<TriedKind, ReturnType<typeof tryOperation>>;

export const TryStreakSettings = operation({
  name: 'tryStreakSettings',
  route: 'POST /streaks/settings/try',
  tag: 'Configuration',
  summary: 'Try streak settings before they are saved',
  description: DESCRIPTION,
  role: 'read',
  request: Type.Object(
    { item: UpdateStreakSettings.request, cursor },
    { examples: [{ item: { freezes: { startCount: 2, maxCount: 3 } } }] },
  ),
  responses: { 200: Trial },
});
