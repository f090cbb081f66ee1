import { LEAGUE_GROUP_MAX, LEAGUE_GROUP_MIN, LEAGUE_TIERS_MAX } from '../../base/leagueLimits.ts';
import { LEADERBOARD_PARTICIPANTS_MAX } from '../../base/limits.ts';
import type { Leaderboard } from '../../rules/config.ts';
import { checkKey, checkName, checkWhole, type Report } from '../kinds/ruleChecks.ts';

/** Tiers that a league has had, the deleted ones included. */
const LEAGUE_TIERS_EVER_MAX = 100;

/** Reports every fault of the league of a leaderboard. */
export function checkLeague(board: Leaderboard, report: Report): void {
  if (board.league === null) return;
  const { groupSize, tiers, former } = board.league.at(-1)!;
  const at: Report = (field, message) => report(`league.${field}`, message);
  checkBoard(board, report);
  checkWhole(at, 'groupSize', groupSize, LEAGUE_GROUP_MIN, LEAGUE_GROUP_MAX);
  if (tiers.length === 0 || tiers.length > LEAGUE_TIERS_MAX)
    at('tiers', `must have 1 to ${LEAGUE_TIERS_MAX} items`);
  if (tiers.length + former.length > LEAGUE_TIERS_EVER_MAX)
    at('tiers', `has had ${LEAGUE_TIERS_EVER_MAX} keys: use an earlier one again`);
  for (const [i, { key, name, promote, demote }] of tiers.entries()) {
    const ofTier: Report = (field, message) => at(`tiers[${i}].${field}`, message);
    checkKey(ofTier, key);
    checkName(ofTier, name);
    if (tiers.findIndex((tier) => tier.key === key) < i) ofTier('key', 'is the key of an earlier tier');
    checkWhole(ofTier, 'promote', promote, 0, LEAGUE_GROUP_MAX);
    checkWhole(ofTier, 'demote', demote, 0, LEAGUE_GROUP_MAX);
    if (i === tiers.length - 1 && promote > 0) ofTier('promote', 'must be left out of the highest tier');
    if (i === 0 && demote > 0) ofTier('demote', 'must be left out of the lowest tier');
  }
}

/** What a leaderboard with a league may be. */
function checkBoard({ rankBy, runUnit, ties, maxParticipants }: Leaderboard, report: Report): void {
  if (rankBy === 'streak') report('league', 'must be left out when rankBy is streak');
  else if (runUnit === null) report('league', 'needs runUnit and runInterval');
  if (ties === 'shared') report('ties', 'must not be shared with a league');
  if (maxParticipants !== LEADERBOARD_PARTICIPANTS_MAX)
    report('maxParticipants', 'must be left out with a league, which has groupSize');
}
