import type { EventResponse } from '../../../contract/event.ts';
import { count, formatNumber } from '../../format.ts';
import { userAddress } from '../users/userAddress.ts';

/** Everything that an event has changed. */
export function EventResult({ result, userId }: { result: EventResponse; userId: string }) {
  const { total, achievements, currentStreak, points, leaderboards } = result;
  return (
    <div class="stack small appears" role="status">
      <strong>Recorded. This changed:</strong>
      <ul>
        <li>
          Total of <a href={userAddress(userId)}>{userId}</a>: {formatNumber(total)}
        </li>
        {currentStreak.extended && <li>Streak: {count(currentStreak.length, 'period')}</li>}
        {achievements.map(({ id, name }) => (
          <li key={id}>Completed: {name}</li>
        ))}
        {Object.values(points).map(({ id, name, added, total: sum }) => (
          <li key={id}>
            {name}: {added > 0 ? '+' : ''}
            {formatNumber(added)}, now {formatNumber(sum)}
          </li>
        ))}
        {Object.values(leaderboards).map(({ id, name, rank }) => (
          <li key={id}>
            {name}: {rank === null ? 'not ranked' : `rank ${rank}`}
          </li>
        ))}
      </ul>
    </div>
  );
}
