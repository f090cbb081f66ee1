import { Badge } from '../../ui/Badge.tsx';

interface AchievementNameProps {
  of: { key: string; name: string; badgeUrl: string | null };
}

/** The badge and the name of an achievement, which leads to its screen. */
export function AchievementName({ of: { key, name, badgeUrl } }: AchievementNameProps) {
  return (
    <>
      <Badge url={badgeUrl} name={name} />{' '}
      <a href={`/console/achievements/${encodeURIComponent(key)}`}>{name}</a>
    </>
  );
}
