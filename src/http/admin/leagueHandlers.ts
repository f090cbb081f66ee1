import { GetLeague, ListLeagueGroups, ListLeagueResults } from '../../contract/leagueAdmin.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import { type FinalRunRow, findLastFinalRun } from '../../db/leaderboards/finalRunRows.ts';
import {
  countOutcomes,
  countTiers,
  listLeagueResults as listResults,
} from '../../db/leaderboards/leagueRows.ts';
import { readGroupSeries, readOpenGroups } from '../../engine/ranks/readLeagueGroups.ts';
import { splitGroup } from '../../redis/state/leagueGroups.ts';
import { dateOfDay, dayOfDate, localTime, runHolding, runNumber } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import { Rules } from '../../rules/inForce/rules.ts';
import type { League } from '../../rules/league.ts';
import { findTier, settingsIn, tierName } from '../../rules/leagueTiers.ts';
import { breakdownValues } from '../../views/changes.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { notFound } from '../request/refuse.ts';
import type { Service } from '../request/service.ts';

type LeagueBoard = Leaderboard & { league: League };

interface FoundLeague {
  rules: Rules;
  board: LeagueBoard;
  due: { tenant: number; leaderboard: number };
  /** First day of the present run; null without one. */
  run: number | null;
}

async function findLeague(service: Service, tenant: number, id: string): Promise<FoundLeague> {
  const rules = new Rules(await loadConfig(service.pool, tenant));
  const board = rules.config.leaderboards.find((one) => one.id === id);
  if (!board?.league) throw notFound(`There is no league ${id}`);
  const { day } = localTime(rules.config.settings.defaultTimeZone, service.clock.now());
  const run = board.status === 'active' && day >= dayOfDate(board.start) ? runHolding(board, day) : null;
  const due = { tenant, leaderboard: board.no };
  return { rules, board: board as LeagueBoard, due, run: run?.start ?? null };
}

const runView = ({ start, end, finalizedAt }: FinalRunRow) => ({
  start: dateOfDay(start),
  end: dateOfDay(end),
  finalized: finalizedAt,
});

export const getLeague = endpoint(GetLeague, async ({ service, rules: { tenant }, path }) => {
  const { board, due, run } = await findLeague(service, tenant, path.id);
  const { final } = service.history;
  const last = await findLastFinalRun(final, due);
  const [outcomes, users, series] = await Promise.all([
    last === null ? [] : countOutcomes(final, due, last.start),
    last === null ? [] : countTiers(final, due, last.start),
    run === null ? [] : readGroupSeries(service, tenant, board, run),
  ]);
  const settings = run === null ? board.league.at(-1)! : settingsIn(board.league, runNumber(board, run)!);
  const tiers = settings.tiers.map(({ no, key, name }, i) => {
    const count = (outcome: string): number =>
      outcomes.find((row) => row.tier === key && row.outcome === outcome)?.users ?? 0;
    const ofTier = users.find(({ tier }) => tier === key);
    return {
      key,
      name,
      position: i + 1,
      groups: series.filter(({ tier }) => tier === no).reduce((sum, { groups }) => sum + groups, 0),
      users: ofTier?.users ?? 0,
      promoted: count('promoted'),
      stayed: count('stayed'),
      demoted: count('demoted'),
      idle: ofTier?.idle ?? 0,
    };
  });
  return ok({
    run: run === null ? null : dateOfDay(run),
    lastRun: last && runView(last),
    tiers: tiers.reverse(),
  });
});

export const listLeagueGroups = endpoint(
  ListLeagueGroups,
  async ({ service, rules: { tenant }, path, query: { tier: key, ...page } }) => {
    const { rules, board, run } = await findLeague(service, tenant, path.id);
    if (run === null) return ok([]);
    const nameOf = (no: number) => findTier(board.league, no)!;
    const all = await readGroupSeries(service, tenant, board, run);
    const series = all.filter(({ tier }) => key === undefined || nameOf(tier).key === key);
    const groups = await readOpenGroups(service, tenant, board, run, series, page);
    return ok(
      groups.map(({ name: group, members, first }) => {
        const { tier, number } = splitGroup(board, group);
        const { key: tierKey, name } = nameOf(tier!);
        const values = breakdownValues(rules, board, group);
        return {
          tier: { key: tierKey, name },
          group: number!,
          breakdownAttributeValues: values,
          members,
          first,
        };
      }),
    );
  },
);

export const listLeagueResults = endpoint(
  ListLeagueResults,
  async ({ service, rules: { tenant }, path, query: { run, tier, outcome, ...page } }) => {
    const { board, due } = await findLeague(service, tenant, path.id);
    const { final } = service.history;
    const start = run === undefined ? (await findLastFinalRun(final, due))?.start : dayOfDate(run);
    if (start === undefined) return ok([]);
    const filter = { tier: tier ?? null, outcome: outcome ?? null };
    const results = await listResults(final, due, start, filter, page);
    return ok(
      results.map(({ group, tier: key, ...result }) => ({
        ...result,
        tier: tierName(board.league, key),
        group: splitGroup(board, group).number!,
      })),
    );
  },
);
