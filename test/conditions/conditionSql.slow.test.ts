import { expect, test } from 'vitest';
import { addendSql, isCounted } from '../../src/db/conditions/countingSql.ts';
import { loadConfig } from '../../src/db/configuration/loadConfig.ts';
import { all } from '../../src/db/rows.ts';
import { dayOfDate } from '../../src/rules/calendar.ts';
import { ALL_EVENTS, type Counting } from '../../src/rules/counting.ts';
import { addendOf } from '../../src/rules/inForce/counted.ts';
import { Rules } from '../../src/rules/inForce/rules.ts';
import { localDate } from '../support/modelCalendar.ts';
import { addedBy, typedAttributes } from '../support/modelCounting.ts';
import { Random, readSeed } from '../support/random.ts';
import {
  EVENT_ATTRIBUTES,
  type EventAttribute,
  randomAggregate,
  randomCondition,
  VALUE_TYPES,
} from '../support/randomConditions.ts';
import { useServer } from '../support/useServer.ts';

/** Random conditions: SQL over the history, the server's own evaluation and the plain model agree. */

const CONDITIONS = 1_000;
const EVENTS = 150;
const ZONES = ['UTC', 'Pacific/Kiritimati', 'America/Los_Angeles'];
const names = Object.keys(EVENT_ATTRIBUTES) as EventAttribute[];
const random = new Random(readSeed('conditionSql', 20_261_127));

const server = useServer({
  relay: true,
  config: {
    attributes: {
      event: names.map((key) => ({
        key,
        name: key,
        ...(VALUE_TYPES[key] && { valueType: VALUE_TYPES[key] }),
      })),
    },
    metrics: [{ key: 'lessons', name: 'Lessons' }],
  },
});

test(`${CONDITIONS} random conditions count the same events, and add the same`, async () => {
  const rules = new Rules(await loadConfig(server.pool, server.no));
  const { config } = rules;
  const idOf = new Map(config.attributes.map(({ key, id }) => [key, id]));
  const sent: Parameters<typeof addedBy>[1][] = [];
  for (let i = 0; i < EVENTS; i++) {
    const attributes = Object.fromEntries(
      random.some(names, 0.6).map((key) => [key, random.pick(EVENT_ATTRIBUTES[key])]),
    );
    const value = random.pick([-2, 0, 0.5, 1, 2.5, 3, 8]);
    const tz = random.pick(ZONES);
    await server.record('ann', value, 'lessons', { attributes, user: { id: 'ann', tz } });
    const byId = Object.fromEntries(
      Object.entries(attributes).map(([key, one]) => [idOf.get(key)!, String(one)]),
    );
    const date = localDate(tz, server.clock.now());
    sent.push({ value, attributes: byId, typed: typedAttributes(config, byId), localDate: date });
    await server.moveTo(server.clock.now() + random.int(1, 40_000_000));
  }
  await server.relayed();
  const no = new Map(config.attributes.map((one) => [one.id, one.no]));
  const stored = sent.map(({ value, attributes, localDate: date }) => ({
    value,
    attributes: new Map(Object.entries(attributes).map(([id, text]) => [no.get(id)!, text])),
    day: dayOfDate(date.toISODate()),
  }));
  for (let i = 0; i < CONDITIONS; i++) {
    const counting: Counting = {
      ...ALL_EVENTS,
      where: random.chance(0.9) ? randomCondition(random, 4) : null,
      aggregate: random.chance(0.4) ? randomAggregate(random) : null,
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

const sumOf = (numbers: number[]): number =>
  Number(numbers.reduce((sum, one) => sum + one, 0).toFixed(6)) + 0;
