import type { Model } from '../support/model.ts';
import { localDate } from '../support/modelCalendar.ts';
import { partsOf, rankingRead } from './expected/rankings.ts';
import type { Service } from './service.ts';

/** A user of a ranking in the service. */
export interface Arrival {
  userId: string;
  /** When the user has reached the value, ms; null if nothing says so. */
  at: number | null;
}

type Sides = { service: Service; model: Model };

/** Arrivals of a cell that share a millisecond are counted on into the next ones if there are many. */
const SAME_MS_MAX = 100;

/**
 * In a tenant that is spread over cells, users of different cells who reach a value within one millisecond are in
 * any order, which stays (docs/operations.md): the model takes it from the service. Users of one cell, and those
 * of different instants, stay as they are in the model.
 */
export async function takeTies({ service, model }: Sides): Promise<void> {
  const { cellOf } = service;
  if (cellOf === null) return;
  await Promise.all(
    tiedRankings(model, model.rankings.names(), cellOf).map(async (name) =>
      reorder(model, name, await service.arrivalsOf(model.config.tenant, name), cellOf),
    ),
  );
}

/** The same for rankings that have just become final in the service. */
export async function takeFinalTies(
  { service, model }: Sides,
  names: readonly string[],
  now: number,
): Promise<void> {
  const { cellOf } = service;
  if (cellOf === null) return;
  const home = localDate(model.config.settings.defaultTimeZone, now);
  for (const name of tiedRankings(model, names, cellOf)) {
    const { body } = await service.call('GET', rankingRead(model, name, home)!.path);
    const places = body.rankings as { userId: string }[];
    reorder(
      model,
      name,
      places.map(({ userId }) => ({ userId, at: null })),
      cellOf,
    );
  }
}

/** Those in which users of different cells have equal values. Groups of leagues are in one cell. */
function tiedRankings(
  { config, rankings }: Model,
  names: readonly string[],
  cellOf: (userId: string) => number,
): string[] {
  return names.filter((name) => {
    const cells = new Map<number, Set<number>>();
    for (const { userId, value } of rankings.ranking(name))
      cells.set(value, (cells.get(value) ?? new Set()).add(cellOf(userId)));
    return partsOf(config, name).board.league === null && [...cells.values()].some(({ size }) => size > 1);
  });
}

function reorder(
  { rankings }: Model,
  name: string,
  found: readonly Arrival[],
  cellOf: (userId: string) => number,
): void {
  const places = new Map(found.map(({ userId, at }, index) => [userId, { at, index }]));
  const indexOf = (userId: string): number => places.get(userId)?.index ?? found.length;
  // Users behind the last place are in no answer.
  const atOf = (userId: string): number | null => places.get(userId)?.at ?? null;
  rankings.reorderTies(name, (userIds) => {
    const ofInstants: string[][] = [];
    for (const userId of userIds) {
      const last = ofInstants.at(-1);
      const isSame = last !== undefined && isSameInstant(atOf(last[0]!), atOf(userId));
      if (isSame) last.push(userId);
      else ofInstants.push([userId]);
    }
    return ofInstants.flatMap((tied) => {
      const order = tied.toSorted((a, b) => indexOf(a) - indexOf(b));
      const inCell = (users: readonly string[], cell: number): string =>
        JSON.stringify(users.filter((userId) => cellOf(userId) === cell));
      return tied.every((userId) => inCell(tied, cellOf(userId)) === inCell(order, cellOf(userId)))
        ? order
        : tied;
    });
  });
}

const isSameInstant = (a: number | null, b: number | null): boolean =>
  a === b || (a !== null && b !== null && Math.abs(a - b) <= SAME_MS_MAX);
