import type { Run } from '../rules/calendar.ts';
import type { Leaderboard } from '../rules/config.ts';
import type { Rules } from '../rules/inForce/rules.ts';
import { Causes } from './causeView.ts';
import { achievementView, boardView, levelView, metricPart, pointsSystemView } from './entityViews.ts';

/** JSON without the closing brace: `{"a":1}` → `{"a":1`. */
export const open = (view: object): string => JSON.stringify(view).slice(0, -1);

/** The JSON of an object without its braces. */
export const inner = (view: object): string => JSON.stringify(view).slice(1, -1);

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
 * The parts of a response that show items of the configuration, as JSON text. The view of an item is the same
 * for all answers with the same rules, so its JSON is built once; only the numbers are added for each answer.
 * Achievements, systems, metrics and boards are open, so that fields can be appended.
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
    metric: cached((no) => open(metricPart(rules.byNo('metrics', no)))),
    /** In changes, up to the rank, for the latest run seen. */
    boards: new Map<number, BoardFragment>(),
    /** In reads, for the latest run and day seen. */
    shownBoards: new Map<number, ShownBoardFragment>(),
  };
}
export type Fragments = ReturnType<typeof createFragments>;

export interface BoardFragment {
  board: Leaderboard;
  run: number;
  json: string;
}

interface ShownBoardFragment {
  /** First day of the run. */
  start: number;
  day: number;
  json: string;
}

/** `boardView` as open JSON. */
export function boardJson(rules: Rules, board: Leaderboard, run: Run, day: number): string {
  const { shownBoards } = getFragments(rules);
  const known = shownBoards.get(board.no);
  if (known?.start === run.start && known.day === day) return known.json;
  const json = open(boardView(rules, board, run, day));
  shownBoards.set(board.no, { start: run.start, day, json });
  return json;
}

const fragmentsOf = new WeakMap<Rules, Fragments>();

export function getFragments(rules: Rules): Fragments {
  let fragments = fragmentsOf.get(rules);
  if (fragments === undefined) {
    fragments = createFragments(rules);
    fragmentsOf.set(rules, fragments);
  }
  return fragments;
}
