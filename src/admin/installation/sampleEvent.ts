import type { Config } from '../../rules/config.ts';

export interface SampleEvent {
  metric: string;
  body: object;
}

/** An event that the configuration accepts, to try laurel with; null without metrics. */
export function sampleEvent({
  metrics,
  attributes,
}: Pick<Config, 'metrics' | 'attributes'>): SampleEvent | null {
  const [metric] = metrics;
  if (metric === undefined) return null;
  const hasCity = attributes.some(({ type, key }) => type === 'user' && key === 'city');
  const user = {
    id: 'ada',
    name: 'Ada',
    tz: 'Europe/Berlin',
    ...(hasCity && { attributes: { city: 'berlin' } }),
  };
  return { metric: metric.key, body: { user, value: 1 } };
}
