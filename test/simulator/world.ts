import { DateTime } from 'luxon';
import type { ConfigFile } from '../../src/contract/configured/configFile.ts';
import { Random } from '../support/random.ts';
import { randomConfig } from '../support/randomConfig.ts';
import type { TrafficChances, WorldOperation } from './operations.ts';
import type { Break } from './service.ts';

/** Where a world begins: everything follows from its seed. */
export interface World extends TrafficChances {
  seed: number;
  start: string;
  file: ConfigFile;
  /** Configuration of a second tenant, with users of the same ids. */
  neighbour?: ConfigFile;
  /** Whether server, relay and PostgreSQL are processes of the world, which may be killed. */
  hasProcesses?: boolean;
  /** Whether Redis has a replica, which takes over when the primary is killed. */
  hasReplica?: boolean;
  /** Whether each tenant has a webhook, of which the deliveries are compared. */
  hasWebhook?: boolean;
  /** Whether timelines, exports and analytics are compared when the world ends. */
  hasFigures?: boolean;
}

/** Time passes (ms), then something happens. */
export interface Step {
  pause: number;
  /** Index of the tenant in which it happens, 0 by default. */
  tenant?: number;
  /** What breaks while time passes. */
  broken?: Break;
  operation: WorldOperation;
}

/** The clock runs while the first server starts, which takes this time at most, also on a busy machine. */
const BEGIN_MS = 300_000;

/** When the clock of a world stands still, and the life of its tenants begins, ms. */
export const beginOf = ({ start }: Pick<World, 'start'>): number => Date.parse(start) + BEGIN_MS;

/** Such worlds take some seconds to begin. */
const PROCESSES_SHARE = 0.3;
const NEIGHBOUR_SHARE = 0.2;
const REPLICA_SHARE = 0.2;
/** Such wide worlds wait for the history after each step. */
const WEBHOOK_SHARE = 0.5;
/** Of worlds with frequent imports of events, those without leagues. */
const NO_LEAGUES_SHARE = 0.5;
const FIRST_DAYS = 5;
const LONG_AGO_DAYS = 60;
/** Before daylight saving begins and ends in London, Los Angeles and Lord Howe; at ends of months and years. */
const STARTS = [
  '2026-02-27T20:00:00Z',
  '2026-03-27T05:00:00Z',
  '2026-10-01T22:00:00Z',
  '2027-12-28T11:00:00Z',
  '2028-02-27T23:30:00Z',
];

/**
 * @param faults how often parts break: 0 is never, 1 as usual
 * @param frequent what comes much more often than usual
 * @param isWide whether it also compares what webhooks get, timelines, exports and analytics
 */
export function drawWorld(
  seed: number,
  faults = 1,
  frequent?: TrafficChances['frequent'],
  isWide = false,
): World {
  const random = new Random(seed);
  const start = random.pick(STARTS);
  const begin = DateTime.fromISO(start, { zone: 'utc' });
  const configOf = (chance: Random): ConfigFile => {
    const drawn = randomConfig(chance, begin);
    return frequent === 'import' ? forPasts(drawn, begin, new Random(seed + 10)) : drawn;
  };
  const file = configOf(random);
  const ofNeighbour = new Random(seed + 6);
  const neighbour = ofNeighbour.chance(NEIGHBOUR_SHARE) ? configOf(ofNeighbour) : null;
  const hasProcesses = faults > 0 && new Random(seed + 5).chance(PROCESSES_SHARE);
  const hasReplica = faults > 0 && new Random(seed + 7).chance(REPLICA_SHARE);
  const hasWebhook = isWide && new Random(seed + 9).chance(WEBHOOK_SHARE);
  const parts = { hasProcesses, hasReplica, hasWebhook, hasFigures: isWide, faults };
  const chosen = { ...(neighbour !== null && { neighbour }), ...(frequent !== undefined && { frequent }) };
  return { seed, start, file, ...chosen, ...parts };
}

/**
 * The model does not know what imports of events do around the first days of leaderboards and in present runs of leagues
 * (modelImports.ts): where such imports are frequent, no leaderboard begins, and some worlds have no league.
 */
function forPasts(file: ConfigFile, begin: DateTime, random: Random): ConfigFile {
  const all = file.leaderboards!;
  const others = random.chance(NO_LEAGUES_SHARE) ? all.filter(({ league }) => !league) : [];
  const longAgo = begin.minus({ days: LONG_AGO_DAYS }).toISODate()!;
  const earliest = begin.minus({ days: FIRST_DAYS }).toISODate()!;
  const leaderboards = (others.length > 0 ? others : all).map((board) =>
    board.start! < earliest ? board : { ...board, start: longAgo },
  );
  return { ...file, leaderboards };
}
