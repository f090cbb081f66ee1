import { AWARDS_PER_READ_MAX } from '../../../base/limits.ts';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import { useApi } from '../../api/useApi.ts';
import { t } from '../../text/translate.ts';
import {
  adjustmentText,
  amountsOfCompletion,
  completionText,
  keptText,
  type Standing,
} from './effectText.ts';
import { useUserApi } from './userAddress.tsx';

/** The achievement of a correction. */
export interface Chosen {
  id: string;
  name: string;
}
interface AchievementEffectProps {
  user: AdminUser;
  achievement: Chosen;
  /** Keys of points systems. */
  systems: readonly string[];
}
interface SystemProps {
  user: AdminUser;
  system: string;
}

const nameOf = ({ name, id }: AdminUser): string => name ?? id;
const pathOf = (system: string) => `/points/${encodeURIComponent(system)}` as const;

/** The effect of an adjustment, while its amount is typed. */
export function AdjustmentEffect({ user, system, amount }: SystemProps & { amount: number }) {
  const standing = useStanding({ user, system });
  if (standing === null || amount === 0 || !Number.isSafeInteger(amount)) return null;
  return <p>{adjustmentText(nameOf(user), standing, amount)}</p>;
}

export function GrantEffect({ user, achievement, systems }: AchievementEffectProps) {
  return (
    <>
      <p>{t('Grants {name} to {user}, completed now.', { name: achievement.name, user: nameOf(user) })}</p>
      {systems.map((system) => (
        <PointsOfGrant key={system} user={user} system={system} achievementId={achievement.id} />
      ))}
    </>
  );
}

export function RevokeEffect({ user, achievement, systems }: AchievementEffectProps) {
  return (
    <>
      <p>{t('{user} loses {name}.', { user: nameOf(user), name: achievement.name })}</p>
      {systems.map((system) => (
        <KeptPoints key={system} user={user} system={system} achievementId={achievement.id} />
      ))}
    </>
  );
}

type PointsProps = SystemProps & { achievementId: string };

function PointsOfGrant({ user, system, achievementId }: PointsProps) {
  const standing = useStanding({ user, system });
  const triggers = useApi(`/v1${pathOf(system)}`).data?.triggers;
  const boosts = useUserApi(user.id, `${pathOf(system)}/boosts`).data;
  if (standing === null || triggers === undefined || boosts === null) return null;
  const amounts = amountsOfCompletion(triggers, achievementId, user.attributes);
  if (amounts.length === 0) return null;
  const isBoosted = boosts.some(({ status }) => status === 'active');
  return <p>{completionText(nameOf(user), standing, amounts, isBoosted)}</p>;
}

function KeptPoints({ user, system, achievementId }: PointsProps) {
  const awards = AWARDS_PER_READ_MAX;
  const points = useUserApi(user.id, pathOf(system), { awards }).data;
  // Without the earlier awards no number is shown.
  if (points === null || points.awards.length === awards) return null;
  const text = keptText(points, achievementId);
  return text && <p>{text}</p>;
}

function useStanding({ user, system }: SystemProps): Standing | null {
  const points = useUserApi(user.id, pathOf(system), { awards: 1 }).data;
  const levels = useApi(`/v1${pathOf(system)}/levels`).data;
  if (points === null || levels === null) return null;
  const { name, total, maxPoints } = points;
  return { name, total, maxPoints, levels };
}
