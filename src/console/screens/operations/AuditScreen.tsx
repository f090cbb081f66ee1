import { useLocation } from 'preact-iso';
import { addressOf } from '../../api/client.ts';
import { words } from '../../format.ts';
import { AuditLog } from '../configuration/AuditLog.tsx';

/** Kinds of changes, by what they are about. */
const KINDS: Record<string, readonly string[]> = {
  Access: ['adminKeys', 'applicationKeys', 'userTokenSecrets', 'sessions', 'tenants'],
  Users: [
    ...['users', 'blockedUsers', 'heldEvents', 'undoneEvents', 'hiddenUsers', 'pointsAdjustments'],
    ...['completions', 'streaks', 'streakFreezes', 'streakPauses'],
  ],
  Configuration: [
    ...['settings', 'metrics', 'streak', 'achievements', 'pointsSystems', 'pointsTriggers', 'pointsLevels'],
    ...['pointsBoosts', 'leaderboards', 'attributes', 'webhooks', 'notificationTemplates'],
  ],
  Operations: ['imports', 'dead', 'testMessages', 'testClock'],
};

/** Kinds that the API names otherwise than people do. */
const NAMED: Record<string, string> = {
  users: 'Erased and renamed users',
  streak: 'Streak settings',
  streaks: 'Restored and reset streaks',
  completions: 'Granted and revoked achievements',
  dead: 'Replays',
};

/** All changes, or those of a kind or of a person or key; the address says which. */
export function AuditScreen() {
  const { query, path, route } = useLocation();
  const { kind, actor } = query;
  const change = (changed: Record<string, string>): void =>
    route(addressOf(path, { ...query, ...changed }), true);
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
              By everybody
            </button>
          </>
        )}
      </div>
      <AuditLog key={`${kind} ${actor}`} kind={kind} actor={actor} />
    </>
  );
}
