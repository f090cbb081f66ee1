import type { UserAchievementWithStatsResponse } from '../../../contract/achievement.ts';
import { formatDay, formatNumber, formatShare } from '../../format.ts';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty } from '../../ui/Page.tsx';
import { useUserApi } from './userAddress.ts';

export function UserBadges({ id }: { id: string }) {
  const achievements = useUserApi<UserAchievementWithStatsResponse[]>(id, '/achievements', {
    includeIncomplete: true,
  });
  return (
    <Card title="Achievements">
      <Loading of={achievements}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="There are no achievements that this user can complete">
              <a href="/console/configuration/achievements">Configure achievements</a>
            </Empty>
          ) : (
            <ul class="badges">
              {all.map((achievement) => (
                <Badge key={achievement.id} achievement={achievement} />
              ))}
            </ul>
          )
        }
      </Loading>
    </Card>
  );
}

function Badge({ achievement }: { achievement: UserAchievementWithStatsResponse }) {
  const { name, badgeUrl, achievedAt, progress, rarity } = achievement;
  const isCompleted = achievedAt !== null;
  return (
    <li class={`badge ${isCompleted ? '' : 'open'}`}>
      {badgeUrl ? (
        <img class="medal" src={badgeUrl} alt="" />
      ) : (
        <span class="medal" aria-hidden="true">
          {isCompleted ? '✓' : name.charAt(0)}
        </span>
      )}
      <div>
        <div>{name}</div>
        <div class="soft small">
          {isCompleted ? (
            <time dateTime={achievedAt}>{formatDay(achievedAt)}</time>
          ) : progress ? (
            progressText(progress)
          ) : (
            'not completed'
          )}
        </div>
        <div class="soft small">{formatShare(rarity / 100)} of users</div>
      </div>
    </li>
  );
}

const progressText = ({ current, target }: { current: number; target: number }): string =>
  `${formatNumber(current)} of ${formatNumber(target)}`;
