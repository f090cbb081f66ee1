import type { UserAchievementWithStatsResponse } from '../../../contract/achievement.ts';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import { formatDay, formatNumber, formatShare } from '../../text/format.ts';
import { AdminLink } from '../../ui/Allowed.tsx';
import { Listing } from '../../ui/Listing.tsx';
import { Card } from '../../ui/Page.tsx';
import { useUserApi } from './userAddress.tsx';

export function UserBadges({ user }: { user: AdminUser }) {
  const achievements = useUserApi(user.id, '/achievements', {
    includeIncomplete: true,
  });
  return (
    <Card title="Achievements">
      <Listing
        of={achievements}
        none="No achievements that this user can complete"
        hint={<AdminLink href="/console/configuration/achievements">Configure achievements</AdminLink>}
      >
        {(all) => (
          <ul class="badges">
            {all.map((achievement) => (
              <Badge key={achievement.id} {...{ achievement, user }} />
            ))}
          </ul>
        )}
      </Listing>
    </Card>
  );
}

interface BadgeProps {
  achievement: UserAchievementWithStatsResponse;
  user: AdminUser;
}

function Badge({ achievement, user }: BadgeProps) {
  const { name, badgeUrl, achievedAt, rarity, timesCompleted = 1 } = achievement;
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
            <>
              <time dateTime={achievedAt}>{formatDay(achievedAt)}</time>
              {timesCompleted > 1 && `, ${formatNumber(timesCompleted)} times by now`}
            </>
          ) : (
            openText(achievement, user)
          )}
        </div>
        <div class="soft small">{formatShare(rarity / 100)} of users</div>
      </div>
    </li>
  );
}

/** The progress of an achievement, or the missing attributes. */
function openText({ progress, userAttributes }: UserAchievementWithStatsResponse, user: AdminUser): string {
  const lacking = userAttributes.filter(({ key, value }) => user.attributes[key] !== value);
  if (lacking.length > 0) return `requires ${lacking.map(({ key, value }) => `${key} ${value}`).join(', ')}`;
  if (progress === undefined) return 'not completed';
  const { current, target } = progress;
  return `${formatNumber(current)} of ${formatNumber(target)}`;
}
