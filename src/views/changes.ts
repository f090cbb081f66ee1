import { derivedId } from '../base/ids.ts';
import type { AttributePair } from '../contract/schemas.ts';
import type { BoardChange, PointsChange } from '../redis/scripts/outcome.ts';
import { leagueView, splitGroup } from '../redis/state/leagueGroups.ts';
import { dateOfDay, runOf } from '../rules/calendar.ts';
import { ADJUSTMENT_TRIGGER, type Leaderboard } from '../rules/config.ts';
import type { Rules } from '../rules/rules.ts';
import { Causes, triggerNotConfigured } from './causeView.ts';
import { achievementView, leaderboardView, levelView, pointsSystemView } from './entityViews.ts';

/**
 * The parts of a response that show changes, as JSON text. The view of an entity is the same for all events
 * with the same rules, so its JSON is built once; only the numbers are added for each event.
 */
interface Fragments {
  /** Those that are configured. */
  causes: Causes;
  /** JSON objects without the closing brace, so that fields can be appended. */
  achievements: Map<number, string>;
  systems: Map<number, string>;
  /** The same, up to the rank, for the latest run seen. */
  boards: Map<number, BoardFragment>;
  /** Complete JSON objects. */
  triggers: Map<number, string>;
  boosts: Map<number, string>;
  levels: Map<number, string>;
}

interface BoardFragment {
  board: Leaderboard;
  run: number;
  json: string;
}

const fragmentsOf = new WeakMap<Rules, Fragments>();

function getFragments(rules: Rules): Fragments {
  let fragments = fragmentsOf.get(rules);
  if (fragments === undefined) {
    fragments = {
      causes: new Causes(rules),
      achievements: new Map(),
      systems: new Map(),
      boards: new Map(),
      triggers: new Map(),
      boosts: new Map(),
      levels: new Map(),
    };
    fragmentsOf.set(rules, fragments);
  }
  return fragments;
}

/** The fragment of an entity, created by `make(from, no)` at the first use. */
function fragment<T extends Rules | Causes>(
  map: Map<number, string>,
  from: T,
  no: number,
  make: (from: T, no: number) => string,
): string {
  let json = map.get(no);
  if (json === undefined) {
    json = make(from, no);
    map.set(no, json);
  }
  return json;
}

/** JSON without the closing brace: `{"a":1}` → `{"a":1`. */
const open = (view: object): string => JSON.stringify(view).slice(0, -1);

const makeAchievement = (rules: Rules, no: number): string =>
  open(achievementView(rules, rules.byNo('achievements', no)));
const makeTrigger = (causes: Causes, no: number): string => JSON.stringify(causes.trigger(no));
const makeBoost = (causes: Causes, no: number): string => JSON.stringify(causes.boost(no));
const makeLevel = (rules: Rules, no: number): string =>
  JSON.stringify(levelView(rules.byNo('pointsLevels', no)));
const makeSystem = (rules: Rules, no: number): string =>
  open(pointsSystemView(rules.byNo('pointsSystems', no)));

/** JSON `UserAchievementResponse[]` of the achievements `completed` (numbers). */
export function achievementsJson(rules: Rules, completed: number[], achievedAt: string): string {
  if (completed.length === 0) return '[]';
  const { achievements } = getFragments(rules);
  const items = completed.map(
    (no) => `${fragment(achievements, rules, no, makeAchievement)},"achievedAt":"${achievedAt}"}`,
  );
  return `[${items.join(',')}]`;
}

/**
 * JSON of `MetricEventPointsResponse` by key of the points system; `level` is present only if the change
 * moved the user to another level.
 */
export function pointsJson(rules: Rules, changes: PointsChange[], eventId: string, date: string): string {
  const entries = pointsEntries(getFragments(rules).causes, changes, (n) => derivedId(eventId, n), date);
  let json = '{';
  for (const { key, json: part } of entries) {
    if (json !== '{') json += ',';
    json += `${key}:${part}`;
  }
  return `${json}}`;
}

/** The same, with one part for each system. @param idOf id of the n-th award of the change, from 1 */
export function pointsEntries(
  causes: Causes,
  changes: PointsChange[],
  idOf: (n: number) => string,
  date: string,
): { key: string; json: string }[] {
  const { rules } = causes;
  const fragments = getFragments(rules);
  let awardNo = 0;
  return changes.map((change) => {
    let awards = '';
    for (const award of change.awards) {
      awardNo++;
      const trigger =
        award.trigger === ADJUSTMENT_TRIGGER
          ? JSON.stringify(triggerNotConfigured('adjustment', award.awarded, date))
          : fragment(fragments.triggers, causes, award.trigger, makeTrigger);
      const boosts = award.boosts.map((no) => fragment(fragments.boosts, causes, no, makeBoost));
      if (awards !== '') awards += ',';
      awards += `{"id":"${idOf(awardNo)}","awarded":${award.awarded},"date":"${date}","total":${award.total},"trigger":${trigger},"boosts":[${boosts.join(',')}]}`;
    }
    const key = JSON.stringify(rules.byNo('pointsSystems', change.system).key);
    const system = fragment(fragments.systems, rules, change.system, makeSystem);
    const level = levelJson(rules, fragments, change);
    return {
      key,
      json: `${system},"total":${change.total}${level},"added":${change.added},"awards":[${awards}]}`,
    };
  });
}

function levelJson(rules: Rules, fragments: Fragments, change: PointsChange): string {
  const system = rules.byNo('pointsSystems', change.system);
  const level = rules.levelAt(system, change.total);
  if (level === rules.levelAt(system, change.total - change.added)) return '';
  return `,"level":${level === null ? 'null' : fragment(fragments.levels, rules, level.no, makeLevel)}`;
}

/** JSON of `MetricEventLeaderboardResponse` by key of the leaderboard; start and end are those of the run. */
export function leaderboardsJson(rules: Rules, changes: BoardChange[]): string {
  const fragments = getFragments(rules);
  let json = '{';
  for (const change of changes) {
    const { board, json: start } = boardFragment(rules, fragments, change);
    if (json !== '{') json += ',';
    json += `${start}${change.rank},"previousRank":${change.previousRank},"threshold":${change.threshold}${groupJson(rules, board, change.group)}}`;
  }
  return `${json}}`;
}

function boardFragment(rules: Rules, fragments: Fragments, { board: no, run }: BoardChange): BoardFragment {
  const known = fragments.boards.get(no);
  if (known?.run === run) return known;
  const board = rules.byNo('leaderboards', no);
  const end = runOf(board, run)?.end ?? null;
  const dates = `"start":"${dateOfDay(run)}","end":${end === null ? 'null' : `"${dateOfDay(end)}"`}`;
  const made = {
    board,
    run,
    json: `${JSON.stringify(board.key)}:${open(leaderboardView(rules, board, run))},${dates},"rank":`,
  };
  fragments.boards.set(no, made);
  return made;
}

/** The attribute values that the users of a group share. */
export function breakdownValues(rules: Rules, board: Leaderboard, group: string): AttributePair[] {
  return splitGroup(board, group).values.map((value, i) => ({
    key: rules.byId('attributes', board.breakdownAttributes[i]!).key,
    value,
  }));
}

function groupJson(rules: Rules, board: Leaderboard, group: string): string {
  const league = board.league === null ? '' : `,${inner(leagueView(board, splitGroup(board, group)))}`;
  if (board.breakdownAttributes.length === 0) return league;
  const values = breakdownValues(rules, board, group);
  return `,"breakdownAttributeValue":${JSON.stringify(values[0]?.value)},"breakdownAttributeValues":${JSON.stringify(values)}${league}`;
}

/** The JSON of an object without its braces. */
const inner = (value: object): string => JSON.stringify(value).slice(1, -1);
