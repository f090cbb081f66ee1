/** Icons of the menu: outlines of 16 by 16 px, by the address of the screen. */
const OUTLINES: Record<string, string> = {
  '/console': 'M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z',
  '/console/users': 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14c.6-3 2.8-4 5.5-4s4.9 1 5.5 4',
  '/console/held-events': 'M5.5 3v10M10.5 3v10',
  '/console/achievements': 'M8 2l1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z',
  '/console/streaks':
    'M8.5 1.5c.5 3 4 4.3 4 8a4.5 4.5 0 0 1-9 0c0-1.8 1-2.8 1.8-3.8.4 1 .9 1.5 1.7 1.8-.2-2.5.3-4.5 1.5-6z',
  '/console/points': 'M8 1.5l5 6.5-5 6.5L3 8z',
  '/console/leaderboards': 'M2.5 14V8.5h3.5V14M6 14V3h4v11M10 14V6.5h3.5V14M1.5 14h13',
  '/console/challenges': 'M3.5 14.5V2h9l-2.5 3.5L12.5 9h-9',
  '/console/experiment': 'M6 2h4M6.8 2v4.5L3 13c-.3.6 0 1.2.7 1.2h8.6c.7 0 1-.6.7-1.2L9.2 6.5V2',
  '/console/anomalies': 'M8 2l6.5 12h-13zM8 6.5v3.5M8 12v.1',
  '/console/configuration': 'M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M10.5 3v3M5.5 10v3',
  '/console/test-clock': 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM8 4.5V8l2.5 1.5',
  '/console/operations': 'M1.5 8.5h3l2-5.5 3 10 2-4.5h3',
};

/** The decorative icon of a screen. */
export const Icon = ({ of }: { of: string }) => (
  <svg class="outline" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={OUTLINES[of]} />
  </svg>
);
