/** A leaderboard of the configuration file that ranks by the metric `lessons`. */
export const metricBoard = (key: string, more: object = {}) => ({
  key,
  name: key,
  rankBy: 'metric',
  metric: 'lessons',
  start: '2020-01-01',
  ...more,
});
