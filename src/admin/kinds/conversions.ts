import type { Field, FieldType } from '../../contract/kinds/field.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import { type Prerequisites, prerequisitesOf, renamed } from '../../contract/kinds/prerequisites.ts';
import type { LeagueInput } from '../../contract/leagues.ts';
import { sortFilter } from '../../engine/configuration/configDraft.ts';
import type { AttributeValue, Config } from '../../rules/config.ts';
import { changeLeague, leagueInput } from '../../rules/leagueTiers.ts';
import { CHALLENGE_REWARDS, GOALS } from './challengeConversions.ts';
import type { Surroundings } from './findEntity.ts';
import { guardsOf } from './guardRules.ts';
import type { IdsByKey, KeysById } from './keysAndIds.ts';
import { REWARDS } from './rewardConversions.ts';

/**
 * How values of a type of field are converted between file, request, entity and answer, where these differ.
 * No conversion gets null: it means no value everywhere.
 */
interface Conversion {
  fromFile?(value: never, field: Field, refs: IdsByKey, path: string): unknown;
  toFile?(value: never, keys: KeysById): unknown;
  fromRequest?(value: never, at: Surroundings): unknown;
  toAnswer?(value: never): unknown;
  /** Ids of the entities that the value names. */
  references?(value: never): string[];
}

const SINGULAR = { hour: 'hour', hours: 'hour', day: 'day', days: 'day' } as const;
const singular = (unit: keyof typeof SINGULAR) => SINGULAR[unit];

const urlOf = ({ url }: { url: string }) => url;
const image = (url: string) => ({ url });

/** A name that is neither an id nor a key stays as it is, and is refused later. */
function userAttributeId({ attributes }: Config, name: string): string {
  const ofUsers = attributes.filter(({ type }) => type === 'user');
  return (ofUsers.find(({ id }) => id === name) ?? ofUsers.find(({ key }) => key === name))?.id ?? name;
}

const newLeague = (input: LeagueInput) => changeLeague(input, null, 0);

export const CONVERSIONS: Partial<Record<FieldType, Conversion>> = {
  image: { fromFile: urlOf, toFile: image, fromRequest: urlOf, toAnswer: image },
  timeUnit: {
    fromFile: singular,
    fromRequest: singular,
    toAnswer: (unit: string) => `${unit}s`,
  },
  id: {
    fromFile: (key: string, { of }, refs, path) => refs.idOf(of!, key, path),
    toFile: (id: string, keys) => keys.of(id),
    references: (id: string) => [id],
  },
  prerequisites: {
    fromFile: (all: Prerequisites, { of }, refs, path) =>
      renamed(all, (key, index) =>
        refs.idOf(of!, key, `${path}${Array.isArray(all) ? '' : '.of'}[${index}]`),
      ),
    toFile: (all: Prerequisites, keys) => renamed(all, (id) => keys.of(id)),
    references: (all: Prerequisites) => prerequisitesOf({ achievementIds: all }).ids,
  },
  filter: {
    fromFile: (values: Record<string, string>, { ofAttributes }, refs, path) =>
      refs.filter(ofAttributes!, values, path),
    toFile: (pairs: AttributeValue[], keys) => keys.filter(pairs),
    fromRequest: (pairs: AttributeValue[]) =>
      sortFilter(pairs.map(({ attributeId, attributeValue }) => ({ attributeId, attributeValue }))),
    references: (pairs: AttributeValue[]) => pairs.map(({ attributeId }) => attributeId),
  },
  attributeIds: {
    fromFile: (keys: string[], _, refs, path) =>
      keys.map((key, index) => refs.attributeId('user', key, `${path}[${index}]`)),
    toFile: (ids: string[], keys) => ids.map((id) => keys.of(id)),
    fromRequest: (names: string[], { config }) => names.map((name) => userAttributeId(config, name)),
    references: (ids: string[]) => ids,
  },
  rewards: REWARDS,
  goals: GOALS,
  challengeRewards: CHALLENGE_REWARDS,
  // What changes of a league is completed by its leaderboard, which knows the runs.
  league: { fromFile: newLeague, fromRequest: newLeague, toFile: leagueInput, toAnswer: leagueInput },
  guards: { fromFile: guardsOf, fromRequest: guardsOf },
};

/** Ids of the entities that the fields of an entity name. */
export function referencesOf({ fields }: Kind, entity: object): string[] {
  const stored = entity as Record<string, unknown>;
  return Object.entries(fields).flatMap(([name, { type }]) => {
    const value = stored[name];
    return value === null ? [] : (CONVERSIONS[type]?.references?.(value as never) ?? []);
  });
}
