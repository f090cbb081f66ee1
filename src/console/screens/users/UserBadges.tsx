import type { UserAchievementWithStatsResponse } from '../../../contract/achievement.ts';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import { formatDay, formatShare } from '../../text/format.ts';
import { rich } from '../../text/richText.ts';
import { shareText, t } from '../../text/translate.ts';
import { AdminLink } from '../../ui/Allowed.tsx';
import { Listing } from '../../ui/Listing.tsx';
import { Card } from '../../ui/Page.tsx';
import { useUserApi } from './userAddress.tsx';

export function UserBadges({ user }: { user: AdminUser }) {
  const achievements = useUserApi(user.id, '/achievements', {
    includeIncomplete: true,
  });
  return (
    <Card title={t('Achievements')}>
      <Listing
        of={achievements}
        none={t('No achievements that this user can complete')}
        hint={<AdminLink href="/console/configuration/achievements">{t('Configure achievements')}</AdminLink>}
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
          {isCompleted
            ? rich(timesCompleted > 1 ? t('{at}, {times} times by now', { times: timesCompleted }) : '{at}', {
                at: <time dateTime={achievedAt}>{formatDay(achievedAt)}</time>,
              })
            : openText(achievement, user)}
        </div>
        <div class="soft small">{t('{share} of users', { share: formatShare(rarity / 100) })}</div>
      </div>
    </li>
  );
}

/** The progress of an achievement, or the missing attributes. */
function openText({ progress, userAttributes }: UserAchievementWithStatsResponse, user: AdminUser): string {
  const lacking = userAttributes.filter(({ key, value }) => user.attributes[key] !== value);
  if (lacking.length > 0)
    return t('requires {attributes}', {
      attributes: lacking.map(({ key, value }) => `${key} ${value}`).join(', '),
    });
  if (progress === undefined) return 'not completed';
  const { current, target } = progress;
  return shareText(current, target);
}
