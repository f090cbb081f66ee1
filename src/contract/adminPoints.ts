import Type from 'typebox';
import type { ResourceSchemas } from './admin.ts';
import { AttributeFilter, fixed, optional, Text, updateOf, Whole } from './adminFields.ts';
import { CalendarDate, nullable, Uuid } from './schemas.ts';

const Badge = nullable(Type.Object({ url: Text }, { $id: 'AdminBadge' }));
const systemPath = { systemId: Uuid };

const levelFields = { name: Text, points: Whole, description: optional(Text), badge: Type.Optional(Badge) };
const levelView = Type.Object(
  { id: Uuid, name: Text, key: Text, points: Type.Integer(), description: Text, badge: Badge },
  { $id: 'AdminPointsLevel' },
);

export const PointsLevels = {
  tag: 'Points',
  one: 'level',
  many: 'levels of a points system',
  parent: systemPath,
  view: levelView,
  create: Type.Object({ key: Text, ...levelFields }),
  update: Type.Object({ ...updateOf(levelFields).properties, key: fixed(Text) }),
} satisfies ResourceSchemas;

const boostFields = {
  name: Text,
  start: Text,
  end: optional(Text),
  multiplier: Type.Number(),
  rounding: Type.Optional(Type.Enum(['down', 'up', 'nearest'])),
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
  one: 'boost',
  many: 'boosts of a points system',
  parent: systemPath,
  view: boostView,
  create: Type.Object({ userId: optional(Text), ...boostFields }),
  update: Type.Object({ ...updateOf(boostFields).properties, userId: Type.Optional(nullable(Text)) }),
} satisfies ResourceSchemas;

const triggerFields = {
  type: Type.Enum(['metric', 'achievement', 'streak', 'time', 'user_creation']),
  points: Whole,
  status: Type.Optional(Type.Enum(['active', 'inactive'])),
  userAttributes: optional(AttributeFilter),
  metricId: optional(Text),
  metricThreshold: optional(Whole),
  eventAttributes: optional(AttributeFilter),
  achievementId: optional(Text),
  streakLength: optional(Whole),
  timeUnit: optional(Type.Enum(['hours', 'days', 'hour', 'day'])),
  timeInterval: optional(Whole),
  blockIfOutOfPoints: Type.Optional(Type.Boolean()),
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
  one: 'trigger',
  many: 'triggers of a points system',
  parent: systemPath,
  view: triggerView,
  create: Type.Object(triggerFields),
  update: updateOf(triggerFields),
} satisfies ResourceSchemas;

const systemFields = {
  name: Text,
  description: optional(Text),
  badge: Type.Optional(Badge),
  maxPoints: optional(Whole),
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
  one: 'points system',
  many: 'points systems',
  view: Type.Object(systemView, { $id: 'AdminPointsSystem' }),
  create: Type.Object({
    key: Text,
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
  update: Type.Object({ ...updateOf(systemFields).properties, key: fixed(Text) }),
} satisfies ResourceSchemas;
