import type { UserAchievementWithStatsResponse } from '../../../contract/achievement.ts';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import { formatDay, formatNumber, formatShare } from '../../format.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty } from '../../ui/Page.tsx';
import { useUserApi } from './userAddress.ts';

export function UserBadges({ user }: { user: AdminUser }) {
  const achievements = useUserApi<UserAchievementWithStatsResponse[]>(user.id, '/achievements', {
    includeIncomplete: true,
  });
  return (
    <Card title="Achievements">
      <Loading of={achievements}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="There are no achievements that this user can complete">
              <Allowed to="admin">
                <a href="/console/configuration/achievements">Configure achievements</a>
              </Allowed>
            </Empty>
          ) : (
            <ul class="badges">
              {all.map((achievement) => (
                <Badge key={achievement.id} {...{ achievement, user }} />
              ))}
            </ul>
          )
        }
      </Loading>
    </Card>
  );
}

interface BadgeProps {
  achievement: UserAchievementWithStatsResponse;
  user: AdminUser;
}

function Badge({ achievement, user }: BadgeProps) {
  const { name, badgeUrl, achievedAt, rarity } = achievement;
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
          ) : (
            openText(achievement, user)
          )}
        </div>
        <div class="soft small">{formatShare(rarity / 100)} of users</div>
      </div>
    </li>
  );
}

/** How far the user is with an achievement, or what else is missing. */
function openText({ progress, userAttributes }: UserAchievementWithStatsResponse, user: AdminUser): string {
  const lacking = userAttributes.filter(({ key, value }) => user.attributes[key] !== value);
  if (lacking.length > 0) return `only with ${lacking.map(({ key, value }) => `${key} ${value}`).join(', ')}`;
  if (progress === undefined) return 'not completed';
  const { current, target } = progress;
  return `${formatNumber(current)} of ${formatNumber(target)}`;
}
