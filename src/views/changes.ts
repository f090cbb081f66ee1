import type { AttributePair } from '../contract/schemas.ts';
import type { BoardChange, Changes } from '../redis/decoding/outcome.ts';
import { leagueView, splitGroup } from '../redis/state/leagueGroups.ts';
import { runOf } from '../rules/calendar.ts';
import type { Achievement, Leaderboard } from '../rules/config.ts';
import type { Rules } from '../rules/inForce/rules.ts';
import { boardView } from './entityViews.ts';
import { type BoardFragment, type Fragments, getFragments, inner, open } from './fragments.ts';

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

/** The same as a field that follows others. */
export const timesJson = ({ repeat }: Achievement, times: number): string =>
  repeat === null ? '' : `,"timesCompleted":${times}`;

/** JSON `UserAchievementResponse[]` of the achievements that a change has completed. */
export function achievementsJson(
  rules: Rules,
  changes: Pick<Changes, 'completed' | 'repeated'>,
  achievedAt: string,
): string {
  if (changes.completed.length + changes.repeated.length === 0) return '[]';
  const fragments = getFragments(rules);
  const items = completionsOf(changes).map(({ achievement: no, times }) => {
    const timesShown = timesJson(rules.byNo('achievements', no), times);
    return `${fragments.achievement(no)},"achievedAt":"${achievedAt}"${timesShown}}`;
  });
  return `[${items.join(',')}]`;
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
  const { end = null } = runOf(board, run) ?? {};
  const view = boardView(rules, board, { start: run, end }, run);
  const made = { board, run, json: `${JSON.stringify(board.key)}:${open(view)},"rank":` };
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
