/** The menu. */
export const SECTIONS: { title: string | null; links: { href: string; label: string }[] }[] = [
  {
    title: null,
    links: [
      { href: '/console', label: 'Overview' },
      { href: '/console/users', label: 'Users' },
    ],
  },
  {
    title: 'Figures',
    links: [
      { href: '/console/achievements', label: 'Achievements' },
      { href: '/console/streaks', label: 'Streaks' },
      { href: '/console/points', label: 'Points' },
      { href: '/console/leaderboards', label: 'Leaderboards' },
      { href: '/console/experiment', label: 'Experiment' },
    ],
  },
  {
    title: 'Manage',
    links: [
      { href: '/console/configuration', label: 'Configuration' },
      { href: '/console/test-clock', label: 'Test clock' },
      { href: '/console/operations', label: 'Operations' },
    ],
  },
];
