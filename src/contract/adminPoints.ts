import Type from 'typebox';
import type { ResourceSchemas } from './admin.ts';
import {
  AttributeFilter,
  Badge,
  EndDate,
  EXAMPLE_ID,
  fixed,
  idOf,
  Key,
  Name,
  optional,
  StartDate,
  Text,
  updateOf,
} from './adminFields.ts';
import { TRIGGER_TYPES } from './points.ts';
import { CalendarDate, nullable, Uuid } from './schemas.ts';

const systemPath = { systemId: Uuid };

const levelFields = {
  name: Name,
  points: Type.Number({
    description: 'Total that reaches the level. Each level of a system needs a different one.',
  }),
  description: optional(Text),
  badge: Type.Optional(Badge),
};
const levelView = Type.Object(
  { id: Uuid, name: Text, key: Text, points: Type.Integer(), description: Text, badge: Badge },
  { $id: 'AdminPointsLevel' },
);

export const PointsLevels = {
  tag: 'Points',
  isPublished: true,
  one: 'level',
  many: 'levels of a points system',
  parent: systemPath,
  view: levelView,
  create: Type.Object({ key: Key, ...levelFields }),
  update: Type.Object({ ...updateOf(levelFields).properties, key: fixed(Key) }),
  examples: [{ key: 'bronze', name: 'Bronze', points: 50, badge: { url: 'https://example.com/bronze.png' } }],
} satisfies ResourceSchemas;

const boostFields = {
  name: Name,
  start: StartDate,
  end: optional(EndDate),
  multiplier: Type.Number({
    description: 'Factor of positive awards: greater than 0, less than 100, not 1.',
  }),
  rounding: Type.Optional(
    Type.Enum(['down', 'up', 'nearest'], { description: 'How the product is rounded. Default: `down`.' }),
  ),
  userAttributes: optional(AttributeFilter),
};
const boostView = Type.Object(
  {
    id: Uuid,
    name: Text,
    status: Type.Enum(['active', 'scheduled', 'finished']),
    start: CalendarDate,
    end: nullable(CalendarDate),
    multiplier: Type.Number(),
    rounding: Type.Enum(['down', 'up', 'nearest']),
    userId: nullable(Text),
    userAttributes: Type.Optional(AttributeFilter),
  },
  { $id: 'AdminPointsBoost' },
);

export const PointsBoosts = {
  tag: 'Points',
  isPublished: true,
  one: 'boost',
  many: 'boosts of a points system',
  parent: systemPath,
  view: boostView,
  create: Type.Object({
    userId: optional(Type.String({ description: 'Limits the boost to this user.' })),
    ...boostFields,
  }),
  update: Type.Object({ ...updateOf(boostFields).properties, userId: fixed(nullable(Text)) }),
  examples: [
    { name: 'Double week', start: '2026-12-21', end: '2026-12-27', multiplier: 2, rounding: 'down' },
  ],
} satisfies ResourceSchemas;

const triggerFields = {
  type: Type.Enum(TRIGGER_TYPES),
  points: Type.Number({
    description: 'Points awarded each time. A negative number takes points. It must not be 0.',
  }),
  status: Type.Optional(Type.Enum(['active', 'inactive'], { description: 'Default: `inactive`.' })),
  userAttributes: optional(AttributeFilter),
  metricId: optional(idOf('the metric. Type `metric` only')),
  metricThreshold: optional(
    Type.Number({
      description: 'Points are awarded each time the total crosses a multiple of this. Type `metric` only.',
    }),
  ),
  eventAttributes: optional(AttributeFilter),
  achievementId: optional(idOf('the achievement. Type `achievement` only')),
  streakLength: optional(
    Type.Number({
      description: 'Points are awarded at every multiple of this streak length. Type `streak` only.',
    }),
  ),
  timeUnit: optional(
    Type.Enum(['hours', 'days', 'hour', 'day'], { description: 'Unit of `timeInterval`. Type `time` only.' }),
  ),
  timeInterval: optional(
    Type.Number({
      description: 'Hours (in UTC) or days (of the user) between two awards. Type `time` only.',
    }),
  ),
  blockIfOutOfPoints: Type.Optional(
    Type.Boolean({
      description:
        'If true, an event that would take more points than the user has is refused. Type `metric` only.',
    }),
  ),
};
const triggerView = Type.Object(
  {
    id: Uuid,
    type: triggerFields.type,
    points: Type.Integer(),
    status: Type.Enum(['active', 'inactive']),
    userAttributes: AttributeFilter,
    metricId: Type.Optional(Uuid),
    metricThreshold: Type.Optional(Type.Integer()),
    eventAttributes: Type.Optional(AttributeFilter),
    achievementId: Type.Optional(Uuid),
    streakLength: Type.Optional(Type.Integer()),
    timeUnit: Type.Optional(Type.Enum(['hours', 'days'])),
    timeInterval: Type.Optional(Type.Integer()),
    blockIfOutOfPoints: Type.Boolean(),
  },
  { $id: 'AdminPointsTrigger' },
);

export const PointsTriggers = {
  tag: 'Points',
  isPublished: true,
  one: 'trigger',
  many: 'triggers of a points system',
  parent: systemPath,
  view: triggerView,
  create: Type.Object(triggerFields),
  update: updateOf(triggerFields),
  examples: [
    { type: 'metric', points: 10, metricId: EXAMPLE_ID, metricThreshold: 1, status: 'active' },
    { type: 'time', points: 5, timeUnit: 'hours', timeInterval: 1, status: 'active' },
  ],
} satisfies ResourceSchemas;

const systemFields = {
  name: Name,
  description: optional(Text),
  badge: Type.Optional(Badge),
  maxPoints: optional(
    Type.Number({
      description:
        'Highest total a user can have. null: no maximum. If it is lowered, users keep what they have, but get no more.',
    }),
  ),
};
const systemView = {
  id: Uuid,
  name: Text,
  key: Text,
  description: Text,
  status: Type.Enum(['active', 'archived']),
  badge: Badge,
  maxPoints: nullable(Type.Integer()),
};

export const PointsSystems = {
  tag: 'Points',
  isPublished: true,
  one: 'points system',
  many: 'points systems',
  view: Type.Object(systemView, { $id: 'AdminPointsSystem' }),
  create: Type.Object({
    key: Key,
    ...systemFields,
    levels: optional(Type.Array(PointsLevels.create)),
    boosts: optional(Type.Array(PointsBoosts.create)),
    triggers: optional(Type.Array(PointsTriggers.create)),
  }),
  created: Type.Object(
    {
      ...systemView,
      levels: Type.Optional(Type.Array(levelView)),
      boosts: Type.Optional(Type.Array(boostView)),
      triggers: Type.Optional(Type.Array(triggerView)),
    },
    { $id: 'CreatedAdminPointsSystem' },
  ),
  update: Type.Object({ ...updateOf(systemFields).properties, key: fixed(Key) }),
  examples: [
    {
      key: 'xp',
      name: 'XP',
      description: 'Experience',
      maxPoints: null,
      levels: [{ key: 'bronze', name: 'Bronze', points: 50 }],
      triggers: [{ type: 'metric', points: 10, metricId: EXAMPLE_ID, metricThreshold: 1, status: 'active' }],
      boosts: [],
    },
  ],
} satisfies ResourceSchemas;
