import { derivedId } from '../base/ids.ts';
import type { AttributePair } from '../contract/schemas.ts';
import type { BoardChange, Changes, PointsChange } from '../redis/decoding/outcome.ts';
import { leagueView, splitGroup } from '../redis/state/leagueGroups.ts';
import { dateOfDay, runOf } from '../rules/calendar.ts';
import { type Achievement, ADJUSTMENT_TRIGGER, type Leaderboard } from '../rules/config.ts';
import type { Rules } from '../rules/inForce/rules.ts';
import { Causes } from './causeView.ts';
import { achievementView, leaderboardView, levelView, pointsSystemView } from './entityViews.ts';

/** JSON without the closing brace: `{"a":1}` → `{"a":1`. */
const open = (view: object): string => JSON.stringify(view).slice(0, -1);

/** The value for a number, made once. */
function cached(make: (no: number) => string): (no: number) => string {
  const made = new Map<number, string>();
  return (no) => {
    let json = made.get(no);
    if (json === undefined) {
      json = make(no);
      made.set(no, json);
    }
    return json;
  };
}

/**
 * The parts of a response that show changes, as JSON text. The view of an entity is the same for all events
 * with the same rules, so its JSON is built once; only the numbers are added for each event. Achievements,
 * systems and boards are open, so that fields can be appended.
 */
function createFragments(rules: Rules) {
  const causes = new Causes(rules);
  return {
    causes,
    achievement: cached((no) => open(achievementView(rules, rules.byNo('achievements', no)))),
    system: cached((no) => open(pointsSystemView(rules.byNo('pointsSystems', no)))),
    trigger: cached((no) => JSON.stringify(causes.trigger(no))),
    boost: cached((no) => JSON.stringify(causes.boost(no))),
    level: cached((no) => JSON.stringify(levelView(rules.byNo('pointsLevels', no)))),
    /** Up to the rank, for the latest run seen. */
    boards: new Map<number, BoardFragment>(),
  };
}
type Fragments = ReturnType<typeof createFragments>;

interface BoardFragment {
  board: Leaderboard;
  run: number;
  json: string;
}

const fragmentsOf = new WeakMap<Rules, Fragments>();

function getFragments(rules: Rules): Fragments {
  let fragments = fragmentsOf.get(rules);
  if (fragments === undefined) {
    fragments = createFragments(rules);
    fragmentsOf.set(rules, fragments);
  }
  return fragments;
}

/** What a change has completed, by the numbers of achievements, and how often the user has by now. */
export const completionsOf = ({
  completed,
  repeated,
}: Pick<Changes, 'completed' | 'repeated'>): { achievement: number; times: number }[] => [
  ...completed.map((achievement) => ({ achievement, times: 1 })),
  ...repeated.filter(({ isSilent }) => !isSilent),
];

/** How often a user has completed an achievement, which only one that repeats shows. */
export const timesView = ({ repeat }: Achievement, times: number): { timesCompleted?: number } =>
  repeat === null ? {} : { timesCompleted: times };

/** JSON `UserAchievementResponse[]` of the achievements that a change has completed. */
export function achievementsJson(
  rules: Rules,
  changes: Pick<Changes, 'completed' | 'repeated'>,
  achievedAt: string,
): string {
  if (changes.completed.length + changes.repeated.length === 0) return '[]';
  const fragments = getFragments(rules);
  const items = completionsOf(changes).map(({ achievement: no, times }) => {
    const { timesCompleted } = timesView(rules.byNo('achievements', no), times);
    const shown = timesCompleted === undefined ? '' : `,"timesCompleted":${timesCompleted}`;
    return `${fragments.achievement(no)},"achievedAt":"${achievedAt}"${shown}}`;
  });
  return `[${items.join(',')}]`;
}

/**
 * JSON of `MetricEventPointsResponse` by key of the points system; `level` is present only if the change
 * moved the user to another level.
 */
export function pointsJson(rules: Rules, changes: PointsChange[], eventId: string, date: string): string {
  const fragments = getFragments(rules);
  let json = '{';
  let awardNo = 0;
  for (const { system: no, total, added, awards } of changes) {
    const system = rules.byNo('pointsSystems', no);
    const level = rules.levelAt(system, total);
    if (json !== '{') json += ',';
    json += `${JSON.stringify(system.key)}:${fragments.system(no)},"total":${total}`;
    if (level !== rules.levelAt(system, total - added))
      json += `,"level":${level === null ? 'null' : fragments.level(level.no)}`;
    let list = '';
    for (const award of awards) {
      const trigger =
        award.trigger > ADJUSTMENT_TRIGGER
          ? fragments.trigger(award.trigger)
          : JSON.stringify(fragments.causes.triggerOfAward(award.trigger, award.awarded, date, null));
      if (list !== '') list += ',';
      list += `{"id":"${derivedId(eventId, ++awardNo)}","awarded":${award.awarded},"date":"${date}","total":${award.total},"trigger":${trigger},"boosts":[${award.boosts.map(fragments.boost).join(',')}]}`;
    }
    json += `,"added":${added},"awards":[${list}]}`;
  }
  return `${json}}`;
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
