import Type from 'typebox';
import { LEAGUE_GROUP_MAX, LEAGUE_GROUP_MIN, LEAGUE_TIERS_MAX } from '../base/leagueLimits.ts';
import { NAME_CHARS_MAX } from '../base/limits.ts';
import { integer, KEY_PATTERN, nullable, text } from './schemas.ts';

export const REWARD_TIER =
  'Key of a tier. Only users who played the run in this tier, or with `promoted` those who reach it. Leagues only.';
export const REWARD_PROMOTED = 'Only users who are promoted. Leagues only.';

const members = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: LEAGUE_GROUP_MAX, description }));

const LeagueTierInput = Type.Object(
  {
    key: Type.String({
      minLength: 1,
      maxLength: NAME_CHARS_MAX,
      pattern: KEY_PATTERN,
      description: 'Key of the tier. Users of a tier that is left out go to the next lower one.',
    }),
    name: Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX, description: 'Name shown to people.' }),
    promote: members('How many of the first members of a group are promoted. Not on the highest tier.'),
    demote: members('How many of the last members of a group are demoted. Not on the lowest tier.'),
  },
  { additionalProperties: false },
);

/** A league, as the configuration file and the Admin API have it. */
export const LeagueInput = Type.Object(
  {
    groupSize: Type.Integer({
      minimum: LEAGUE_GROUP_MIN,
      maximum: LEAGUE_GROUP_MAX,
      description: 'Maximum number of members per group.',
    }),
    tiers: Type.Array(LeagueTierInput, {
      minItems: 1,
      maxItems: LEAGUE_TIERS_MAX,
      description: 'Tiers from lowest to highest. Users start in the lowest one.',
    }),
    idle: Type.Optional(
      Type.Enum(['stay', 'demote'], {
        description: 'Whether users without a rank in a run keep their tier or lose one. Default: `stay`.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Users compete in groups of one tier and move between tiers at the end of each run. A change takes effect with the next run. ' +
      'A league cannot be added or removed once the leaderboard has begun.',
  },
);
export type LeagueInput = Type.Static<typeof LeagueInput>;

/** A tier that may have been deleted since; its name is then its key. */
export const LeagueTierName = Type.Object({ key: Type.String(), name: Type.String() });

const TierView = Type.Object({
  key: Type.String(),
  name: Type.String(),
  position: integer('1 is the lowest tier.'),
});

/** The tier and the group of a user in a run. */
export const leagueEventFields = {
  tier: Type.Optional(TierView),
  group: Type.Optional(text('Name of the group within its tier.')),
};

export const leaguePageFields = {
  ...leagueEventFields,
  reason: Type.Optional(text('Why `rankings` of a league is empty.')),
};

export const leagueUserFields = {
  tier: Type.Optional(nullable(TierView)),
  group: Type.Optional(nullable(text('null before the first score of the run.'))),
  promotes: Type.Optional(
    nullable(integer('Last rank of the group that goes up a tier as of now, else null.')),
  ),
  demotes: Type.Optional(
    nullable(integer('First rank of the group that goes down a tier as of now, else null.')),
  ),
  previousRun: Type.Optional(
    nullable(
      Type.Object(
        {
          tier: Type.Object({ key: Type.String() }),
          rank: Type.Integer(),
          outcome: Type.Enum(['promoted', 'stayed', 'demoted']),
        },
        { description: 'The last final run before this one in which the user had a rank.' },
      ),
    ),
  ),
};
