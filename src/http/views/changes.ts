import { derivedId } from '../../base/ids.ts';
import type { BoardChange, PointsChange } from '../../redis/outcome.ts';
import { parseGroup } from '../../redis/outcome.ts';
import { dateOfDay, runOf } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/rules.ts';
import { achievementView, boostView, leaderboardView, levelView, pointsSystemView, triggerView } from './entities.ts';

/**
 * The parts of a response that say what changed, as JSON text. What an entity looks like does not change as long as the
 * rules do not, so its JSON is made once and only the numbers are put in per event.
 */
interface Fragments {
  /** Open objects: everything but the closing brace. */
  achievements: Map<number, string>;
  systems: Map<number, string>;
  boards: Map<number, string>;
  /** By leaderboard: its latest run and that run's dates. */
  runs: Map<number, { run: number; json: string }>;
  /** Whole objects. */
  triggers: Map<number, string>;
  boosts: Map<number, string>;
  levels: Map<number, string>;
}

const fragmentsOf = new WeakMap<Rules, Fragments>();

function getFragments(rules: Rules): Fragments {
  let fragments = fragmentsOf.get(rules);
  if (fragments === undefined) {
    fragments = {
      achievements: new Map(),
      systems: new Map(),
      boards: new Map(),
      runs: new Map(),
      triggers: new Map(),
      boosts: new Map(),
      levels: new Map(),
    };
    fragmentsOf.set(rules, fragments);
  }
  return fragments;
}

function cached(map: Map<number, string>, no: number, make: () => object): string {
  let json = map.get(no);
  if (json === undefined) {
    json = JSON.stringify(make());
    map.set(no, json);
  }
  return json;
}

/** `{"a":1}` → `{"a":1`: fields can follow. */
const open = (json: string): string => json.slice(0, -1);

/** `completed` at `now`, as `UserAchievementResponse[]`. */
export function achievementsJson(rules: Rules, completed: number[], achievedAt: string): string {
  if (completed.length === 0) return '[]';
  const { achievements } = getFragments(rules);
  const items = completed.map((no) => {
    const json = cached(achievements, no, () => achievementView(rules, rules.byNo('achievements', no)));
    return `${open(json)},"achievedAt":"${achievedAt}"}`;
  });
  return `[${items.join(',')}]`;
}

/** Points systems by key, as `MetricEventPointsResponse`; `level` only where this change moved the user to another. */
export function pointsJson(rules: Rules, changes: PointsChange[], eventId: string, date: string): string {
  if (changes.length === 0) return '{}';
  const fragments = getFragments(rules);
  let awardNo = 0;
  const items = changes.map((change) => {
    const system = rules.byNo('pointsSystems', change.system);
    const json = cached(fragments.systems, change.system, () => pointsSystemView(system));
    const level = rules.levelAt(system, change.total);
    const levelChanged = level !== rules.levelAt(system, change.total - change.added);
    const levelJson = level === null ? 'null' : cached(fragments.levels, level.no, () => levelView(level));
    const awards = change.awards.map((award) => {
      const trigger = cached(fragments.triggers, award.trigger, () =>
        triggerView(rules, rules.byNo('pointsTriggers', award.trigger)),
      );
      const boosts = award.boosts.map((no) =>
        cached(fragments.boosts, no, () => boostView(rules.byNo('pointsBoosts', no), 'active')),
      );
      awardNo++;
      return `{"id":"${derivedId(eventId, awardNo)}","awarded":${award.awarded},"date":"${date}","total":${award.total},"trigger":${trigger},"boosts":[${boosts.join(',')}]}`;
    });
    return `${JSON.stringify(system.key)}:${open(json)},"total":${change.total}${levelChanged ? `,"level":${levelJson}` : ''},"added":${change.added},"awards":[${awards.join(',')}]}`;
  });
  return `{${items.join(',')}}`;
}

/** Leaderboards by key, as `MetricEventLeaderboardResponse`; start and end are those of the run. */
export function leaderboardsJson(rules: Rules, changes: BoardChange[]): string {
  if (changes.length === 0) return '{}';
  const fragments = getFragments(rules);
  const items = changes.map((change) => {
    const board = rules.byNo('leaderboards', change.board);
    const json = cached(fragments.boards, change.board, () => leaderboardView(rules, board));
    const run = runJson(fragments, board, change.run);
    return `${JSON.stringify(board.key)}:${open(json)},${run},"rank":${change.rank},"previousRank":${change.previousRank},"threshold":${change.threshold}${groupJson(rules, board.breakdownAttributes, change.group)}}`;
  });
  return `{${items.join(',')}}`;
}

function runJson(fragments: Fragments, board: Leaderboard, start: number): string {
  const known = fragments.runs.get(board.no);
  if (known?.run === start) return known.json;
  const end = runOf(board, start)?.end ?? null;
  const json = `"start":"${dateOfDay(start)}","end":${end === null ? 'null' : `"${dateOfDay(end)}"`}`;
  fragments.runs.set(board.no, { run: start, json });
  return json;
}

function groupJson(rules: Rules, breakdownAttributes: string[], group: string): string {
  if (breakdownAttributes.length === 0) return '';
  const values = parseGroup(group).map((value, i) => ({
    key: rules.byId('attributes', breakdownAttributes[i]!).key,
    value,
  }));
  return `,"breakdownAttributeValue":${JSON.stringify(values[0]?.value)},"breakdownAttributeValues":${JSON.stringify(values)}`;
}
