import type { ListUsers } from '../../../contract/adminUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { Achievement, Leaderboard, Metric, StreakSettings } from '../../api/types.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { Card } from '../../ui/Page.tsx';

/** What a new installation still needs; nothing once it is complete. */
export function FirstSteps() {
  const metrics = useApi<Metric[]>('/metrics', { limit: 1 }).data;
  const achievements = useApi<Achievement[]>('/achievements', { limit: 1 }).data;
  const boards = useApi<Leaderboard[]>('/leaderboards', { limit: 1 }).data;
  const streak = useApi<StreakSettings>('/streaks/settings').data;
  const users = useApi<ResponseOf<typeof ListUsers>>(
    '/users',
    { limit: 1, sort: 'active' },
    { everyMs: LIVE_MS },
  ).data;
  if (!metrics || !achievements || !boards || !streak || !users) return null;
  const steps = [
    {
      isDone: metrics.length > 0,
      href: '/console/configuration/metrics/new',
      label: 'Create a metric: what users do',
    },
    {
      isDone: streak.enabled && streak.metrics.length > 0,
      href: '/console/configuration/streak',
      label: 'Say what keeps a streak',
    },
    {
      isDone: achievements.length > 0,
      href: '/console/configuration/achievements/new',
      label: 'Create an achievement',
    },
    {
      isDone: boards.length > 0,
      href: '/console/configuration/leaderboards/new',
      label: 'Create a leaderboard',
    },
    { isDone: users.users.length > 0, href: '#event-form', label: 'Send an event from this page' },
  ];
  if (steps.every(({ isDone }) => isDone)) return null;
  return (
    <Card title="First steps" note="What is left to do before users can play.">
      <ol>
        {steps.map(({ isDone, href, label }) => (
          <li key={label}>
            {isDone ? (
              <>
                {label} <span class="tag good">done</span>
              </>
            ) : (
              <a href={href}>{label}</a>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}
