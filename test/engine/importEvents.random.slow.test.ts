import { DateTime } from 'luxon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import type { ConfigFile } from '../../src/contract/configured/configFile.ts';
import type { ImportRecord } from '../../src/db/imports/importRows.ts';
import type { Pool } from '../../src/db/pool.ts';
import { createEngine as createParts } from '../../src/engine/engine.ts';
import { NO_LATE_READS } from '../../src/engine/events/lateHistory.ts';
import { PastEvents } from '../../src/engine/imports/importEvents.ts';
import type { RefusedImportedRow } from '../../src/engine/imports/importUsers.ts';
import { readErasures } from '../../src/engine/users/erasures.ts';
import { decodeEntry } from '../../src/redis/decoding/outbox.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { readUserState } from '../../src/redis/state/currentStates.ts';
import type { ImportedRow } from '../../src/rules/importedRows.ts';
import { toHistory } from '../../workers/relay/toHistory.ts';
import { createEngine, type Engine } from '../support/engine.ts';
import { Random, readSeed } from '../support/random.ts';
import { randomChallenges } from '../support/randomChallenges.ts';
import { EVENT_ATTRIBUTES, type EventAttribute } from '../support/randomConditions.ts';
import { METRICS, randomConfig, USER_ATTRIBUTES } from '../support/randomConfig.ts';

/** Random pasts, imported, equal the same pasts as they happen by the clock. */
const HISTORIES = Number(process.env.LAUREL_RANDOM_PASTS ?? 10);
const SEED = readSeed('pasts', 20_261_123);
const START = DateTime.fromISO('2026-03-02T00:00:00Z', { zone: 'utc' });
const DAYS = 40;
const USERS = ['ann', 'bob', 'cem'];
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'Australia/Lord_Howe',
];

let happening: Engine;
let importing: Engine;
/** Their runs cannot be changed, so they are the same in all rounds. Which goals are drawn depends on the tenant. */
const CHALLENGES = [1, 2, 3].flatMap((seed) =>
  randomChallenges(new Random(SEED + seed), START)!.map(({ pick, ...one }) => ({
    ...one,
    key: `${one.key}-${seed}`,
  })),
);

/**
 * What cannot be changed once it is active is the same in all rounds. Without rewards, which a worker gives
 * and an import does not, and without leagues: an import puts nobody into groups of runs that are over.
 */
const configOf = (random: Random): ConfigFile => {
  const config = randomConfig(random, START);
  const points = config.points!.map(({ boosts = [], ...system }) => {
    return { ...system, boosts: boosts.map(({ userId, ...boost }) => boost) };
  });
  const boards = randomConfig(new Random(SEED), START).leaderboards!;
  const challenges = CHALLENGES.map(({ rewards, claim, claimDays, ...challenge }) => challenge);
  return {
    ...config,
    points,
    challenges,
    leaderboards: boards.map(({ league, rewards, ...board }) => board),
  };
};
beforeAll(async () => {
  const first = configOf(new Random(SEED));
  happening = await createEngine(first, START.toISO()!);
  importing = await createEngine(first, START.toISO()!);
});
afterAll(async () => {
  await happening?.close();
  await importing?.close();
});

let nextImport = 1;

interface Event {
  at: number;
  line: Record<string, unknown> & {
    metric: string;
    user: { id: string };
    value: number;
    idempotencyKey?: string;
  };
}

/** The first names of users differ from round to round, so that each round has users of its own. */
function eventsOf(random: Random, round: number): Event[] {
  const zones = new Map<string, string | null>(USERS.map((user) => [user, random.pick([null, ...ZONES])]));
  const events: Event[] = [];
  for (const name of USERS) {
    // Some are busy, some come rarely.
    const gapMs = random.pick([3_600_000, 20_000_000, 90_000_000, 400_000_000]);
    let at = START.toMillis() + random.int(0, 3 * 86_400_000);
    for (let n = 0; n < 60 && at < START.toMillis() + DAYS * 86_400_000; n++) {
      if (random.chance(0.03)) zones.set(name, random.pick(ZONES));
      const tz = zones.get(name)!;
      const key = random.pick(Object.keys(EVENT_ATTRIBUTES) as EventAttribute[]);
      const attributes = random.chance(0.5) ? { [key]: random.pick(EVENT_ATTRIBUTES[key]) } : undefined;
      const user = {
        id: `${name}-${round}`,
        ...(tz !== null && { tz }),
        ...(random.chance(0.2) && { attributes: { city: random.pick(USER_ATTRIBUTES.city) } }),
      };
      const line = {
        timestamp: new Date(at).toISOString(),
        metric: random.pick(METRICS),
        user,
        value: random.pick([1, 1, 2, 5, 0.5, -1]),
        ...(attributes && { attributes }),
        ...(random.chance(0.2) && { idempotencyKey: random.pick(['a', 'b', 'c']) }),
      };
      events.push({ at, line: line as Event['line'] });
      at += random.int(0, 2 * gapMs);
    }
  }
  return events.sort((a, b) => a.at - b.at);
}

async function happen(events: readonly Event[], until: number): Promise<number> {
  let refused = 0;
  for (const { at, line } of events) {
    const { timestamp, metric, idempotencyKey, ...request } = line;
    happening.clock.set(at);
    await happening.sweep.run(at);
    const outcome = await happening.record(metric, request, idempotencyKey);
    const { status } = outcome;
    const isRepeated = status === 'replayed' || (status === 'held' && outcome.guard === null);
    if (status === 'held' && !isRepeated && idempotencyKey !== undefined)
      happening.outboxKeys.hold(happening.rules(), request.user.id, metric, idempotencyKey, at);
    if (status !== 'recorded' && !isRepeated) refused++;
  }
  happening.clock.set(until);
  await happening.sweep.run(until);
  return refused;
}

async function importAll(random: Random, events: readonly Event[], until: number): Promise<number> {
  importing.clock.set(until);
  const { redis, clock, cells } = importing;
  const parts = createParts({ redis, clock, cells });
  const rows: ImportedRow[] = events.map(({ line }, i) => {
    return { line: i + 1, userId: line.user.id, content: line };
  });
  const refused: RefusedImportedRow[] = [];
  const record = { id: newId(), no: nextImport++, tenant: importing.tenant } as ImportRecord;
  const deps = { ...parts, pool: null as unknown as Pool, history: NO_LATE_READS };
  const erasures = await readErasures(deps, importing.tenant);
  const begin = () => new PastEvents(deps, importing.rules(), record, rows, refused, erasures);
  let past = begin();
  while (past.isWaiting) {
    expect(await past.applySome(random.int(1, 40))).toBe(true);
    // A worker that was killed begins again, and knows nothing of what is done.
    if (past.isWaiting && random.chance(0.1)) {
      refused.length = 0;
      past = begin();
    }
  }
  return refused.length;
}

/** What both stores will hold, without what differs: ranks, keys for live events, the silence after an import. */
async function resultOf(engine: Engine, users: readonly string[]) {
  const states = await Promise.all(
    users.map(async (userId) => {
      const state = await readUserState(engine.redis, engine.cells, { tenant: engine.tenant, userId });
      if (state === null) return null;
      const { boards, formerPlaces, version, control, due, messagesFrom, ...rest } = state;
      return rest;
    }),
  );
  const entries = [];
  for (const cell of engine.tenantCells) {
    for (const [id, fields] of await engine.redis.xrangeBuffer(keys.outbox(cell), '-', '+'))
      entries.push({ source: { cell, id: String(id), fields }, entry: decodeEntry(fields) });
    await engine.redis.del(keys.outbox(cell));
  }
  const comparable = (list: object[]): string[] =>
    list
      .filter((row) => users.includes((row as { userId: string }).userId))
      .map((row) => {
        const { tenant, eventId, id, control, fingerprint, arrivedAt, ...rest } = row as Record<
          string,
          unknown
        >;
        return JSON.stringify(rest);
      })
      .sort();
  const {
    events,
    awards,
    completions,
    extensions,
    losses,
    earnedFreezes,
    pointsTotals,
    activity,
    userAttributes,
    streakStandings,
    users: created,
  } = toHistory(entries);
  const lists = {
    events,
    awards,
    completions,
    extensions,
    losses,
    earnedFreezes,
    pointsTotals,
    activity,
    userAttributes,
    streakStandings,
    created,
  };
  return {
    states,
    ...Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, comparable(list)])),
  };
}

test(`${HISTORIES} random pasts give the same state and history`, { timeout: 600_000 }, async () => {
  let refusedInAll = 0;
  for (let round = 0; round < HISTORIES; round++) {
    const seed = SEED + round;
    const random = new Random(seed);
    const config = configOf(random);
    for (const engine of [happening, importing]) {
      engine.clock.set(START.toISO()!);
      await engine.configure(config);
      await engine.rulesStore.load(engine.tenant);
    }
    const events = eventsOf(random, round);
    const until = START.toMillis() + (DAYS + random.int(0, 9)) * 86_400_000 + random.int(0, 86_400_000);
    const refused = await happen(events, until);
    expect(await importAll(random, events, until), `refused, LAUREL_SEED=${seed}`).toBe(refused);
    refusedInAll += refused;
    const users = [...new Set(events.map(({ line }) => line.user.id))];
    const [expected, found] = [await resultOf(happening, users), await resultOf(importing, users)];
    expect(found, `LAUREL_SEED=${seed}`).toEqual(expected);
  }
  expect(refusedInAll).toBeGreaterThan(0);
});
