import { expect, test } from 'vitest';
import { type Aggregate, PERIODS } from '../../src/contract/conditions/condition.ts';
import { addendSql, isCounted, periodSql } from '../../src/db/conditions/countingSql.ts';
import { loadConfig } from '../../src/db/configuration/loadConfig.ts';
import { all } from '../../src/db/rows.ts';
import { totalSql } from '../../src/db/users/readCounted.ts';
import { dayOfDate } from '../../src/rules/calendar.ts';
import { splitFacts } from '../../src/rules/conditions/facts.ts';
import { ALL_EVENTS, type Counting } from '../../src/rules/counting.ts';
import { addendOf } from '../../src/rules/inForce/counted.ts';
import { Rules } from '../../src/rules/inForce/rules.ts';
import { achievement } from '../support/items.ts';
import { clockAt, localDate } from '../support/modelCalendar.ts';
import { addedBy, type Countable, CountedTogether, typedAttributes } from '../support/modelCounting.ts';
import { Random, readSeed } from '../support/random.ts';
import {
  AGGREGATES,
  EVENT_ATTRIBUTES,
  type EventAttribute,
  randomCondition,
  TYPED_USER_ATTRIBUTES,
  USER_VALUE_TYPES,
  VALUE_TYPES,
} from '../support/randomConditions.ts';
import { USER_ATTRIBUTES } from '../support/randomConfig.ts';
import { useServer } from '../support/useServer.ts';

/**
 * Random conditions: SQL over the history, the server's own evaluation of it and the plain model agree, also
 * about what the scripts have told the history of the user.
 */

const WAYS = 200;
const CONDITIONS = 1_000;
const EVENTS = 150;
const ZONES = ['UTC', 'Pacific/Kiritimati', 'America/Los_Angeles'];
const names = Object.keys(EVENT_ATTRIBUTES) as EventAttribute[];
const USER_TYPES = { ...USER_VALUE_TYPES, plan: 'text' as const };
const USER_VALUES = { ...TYPED_USER_ATTRIBUTES, plan: USER_ATTRIBUTES.plan };
const userKeys = Object.keys(USER_TYPES) as (keyof typeof USER_TYPES)[];
const random = new Random(readSeed('conditionSql', 20_261_127));

const server = useServer({
  relay: true,
  config: {
    attributes: {
      user: userKeys.map((key) => ({ key, name: key, valueType: USER_TYPES[key] })),
      event: names.map((key) => ({
        key,
        name: key,
        ...(VALUE_TYPES[key] && { valueType: VALUE_TYPES[key] }),
      })),
    },
    metrics: [{ key: 'lessons', name: 'Lessons' }],
    // The history keeps what a condition asks for, of an inactive achievement, too.
    achievements: [
      achievement('all', 1, {
        status: 'inactive',
        where: {
          any: [
            { localTime: { from: '05:00', to: '07:00' } },
            ...userKeys.map((attribute) => ({ user: { attribute, exists: true } })),
          ],
        },
      }),
    ],
  },
});

const sent: Countable[] = [];

test(`${CONDITIONS} random conditions count the same events, and add the same`, async () => {
  const rules = new Rules(await loadConfig(server.pool, server.no));
  const { config } = rules;
  const idOf = new Map(config.attributes.map(({ key, id }) => [key, id]));
  const ofUser: Record<string, string> = {};
  for (let i = 0; i < EVENTS; i++) {
    const attributes = Object.fromEntries(
      random.some(names, 0.6).map((key) => [key, random.pick(EVENT_ATTRIBUTES[key])]),
    );
    const value = random.pick([-2, 0, 0.5, 1, 2.5, 3, 8]);
    const tz = random.pick(ZONES);
    const changed = Object.fromEntries(
      random
        .some(userKeys, 0.3)
        .map((key) => [key, random.chance(0.3) ? null : random.pick([...USER_VALUES[key]])]),
    );
    for (const [key, one] of Object.entries(changed)) {
      if (one === null) delete ofUser[idOf.get(key)!];
      else ofUser[idOf.get(key)!] = String(one);
    }
    const user = { id: 'ann', tz, attributes: changed };
    await server.record('ann', value, 'lessons', { attributes, user });
    const byId = Object.fromEntries(
      Object.entries(attributes).map(([key, one]) => [idOf.get(key)!, String(one)]),
    );
    const now = server.clock.now();
    sent.push({
      value,
      attributes: byId,
      typed: typedAttributes(config, byId),
      localDate: localDate(tz, now),
      clock: clockAt(tz, now),
      user: typedAttributes(config, ofUser),
    });
    await server.moveTo(server.clock.now() + random.int(1, 40_000_000));
  }
  await server.relayed();
  const rows = await all(server.pool)<{ value: number; date: string; kept: Record<string, string | null> }>`
    select value, local_date::text as date, attributes as kept from recorded_events order by sequence`;
  const stored = rows.map(({ value, date, kept }) => ({ value, day: dayOfDate(date), ...splitFacts(kept) }));
  for (let i = 0; i < CONDITIONS; i++) {
    const counting: Counting = {
      ...ALL_EVENTS,
      where: random.chance(0.9) ? randomCondition(random, 4) : null,
      aggregate: random.chance(0.4) ? random.pick<Aggregate>(['count', { sum: 'distance' }]) : null,
    };
    const added = sent.map((event) => addedBy(counting, event)).filter((one) => one !== null);
    const [found] = await all(server.pool)<{ events: number; sum: number }>`
      select count(*)::integer as events, coalesce(sum(${addendSql(rules, counting)}), 0)::float8 as sum
      from recorded_events where ${isCounted(rules, counting)}`;
    const evaluated = stored.map((event) => addendOf(rules, counting, event)).filter((one) => one !== null);
    const expected = { events: added.length, sum: sumOf(added) };
    expect([found, { events: evaluated.length, sum: sumOf(evaluated) }], JSON.stringify(counting)).toEqual([
      expected,
      expected,
    ]);
  }
});

test(`${WAYS} random ways of counting have the same totals in each period`, async () => {
  const rules = new Rules(await loadConfig(server.pool, server.no));
  for (let i = 0; i < WAYS; i++) {
    const counting: Counting = {
      ...ALL_EVENTS,
      where: random.chance(0.5) ? randomCondition(random) : null,
      aggregate: random.pick([null, ...AGGREGATES]),
      per: random.pick([null, ...PERIODS]),
    };
    const { per = null } = counting;
    const expected = new Map<string | null, number>();
    const together = new Map<string | null, CountedTogether>();
    for (const event of sent) {
      if (addedBy(counting, event) === null) continue;
      const first = per === null ? null : event.localDate.startOf(per).toISODate();
      together.set(first, together.get(first) ?? new CountedTogether(counting));
      expected.set(first, together.get(first)!.add(event));
    }
    const found = await all(server.pool)<{ period: string | null; total: number }>`
      select ${periodSql(counting)}::text as period, ${totalSql(rules, counting)} as total
      from recorded_events event where ${isCounted(rules, counting)} group by 1 having count(*) > 0`;
    expect(new Map(found.map(({ period, total }) => [period, total])), JSON.stringify(counting)).toEqual(
      expected,
    );
  }
});

const sumOf = (numbers: number[]): number =>
  Number(numbers.reduce((sum, one) => sum + one, 0).toFixed(6)) + 0;
