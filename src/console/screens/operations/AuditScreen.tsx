import { useAddress } from '../../api/useAddress.ts';
import { words } from '../../text/format.ts';
import { AuditLog } from '../configuration/AuditLog.tsx';

/** Kinds of changes, grouped by subject. */
const KINDS: Record<string, readonly string[]> = {
  Access: ['adminKeys', 'applicationKeys', 'userTokenSecrets', 'sessions', 'tenants'],
  Users: [
    ...['users', 'blockedUsers', 'heldEvents', 'undoneEvents', 'hiddenUsers', 'pointsAdjustments'],
    ...['completions', 'challengeCompletions', 'streaks', 'streakFreezes', 'streakPauses'],
  ],
  Configuration: [
    ...['settings', 'metrics', 'streak', 'achievements', 'pointsSystems', 'pointsTriggers', 'pointsLevels'],
    ...['pointsBoosts', 'leaderboards', 'challenges', 'attributes', 'webhooks', 'notificationTemplates'],
  ],
  Operations: ['imports', 'dead', 'testMessages', 'testClock'],
};

/** Kinds whose name in the API is not clear enough. */
const NAMED: Record<string, string> = {
  users: 'Erased and renamed users',
  streak: 'Streak settings',
  streaks: 'Restored and reset streaks',
  completions: 'Granted and revoked achievements',
  dead: 'Replays',
};

/** The audit log; the address filters it by kind and by the person or key. */
export function AuditScreen() {
  const { query, change } = useAddress();
  const { kind, actor } = query;
  return (
    <>
      <div class="row">
        <select
          aria-label="Kind of change"
          value={kind ?? ''}
          onChange={(event) => change({ kind: event.currentTarget.value })}
        >
          <option value="">All changes</option>
          {Object.entries(KINDS).map(([group, kinds]) => (
            <optgroup key={group} label={group}>
              {kinds.map((one) => (
                <option key={one} value={one}>
                  {NAMED[one] ?? words(one)}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
        {actor && (
          <>
            <span>
              Only by <strong>{actor}</strong>
            </span>
            <button type="button" onClick={() => change({ actor: '' })}>
              Show changes by everyone
            </button>
          </>
        )}
      </div>
      <AuditLog key={`${kind} ${actor}`} kind={kind} actor={actor} />
    </>
  );
}
