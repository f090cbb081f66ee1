/** The menu. */
export const SECTIONS: { title: string | null; links: { href: string; label: string }[] }[] = [
  {
    title: null,
    links: [
      { href: '/console', label: 'Overview' },
      { href: '/console/users', label: 'Users' },
    ],
  },
];
