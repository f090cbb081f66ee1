import type { AttributeValue } from './config.ts';

/** Identifies a counter: two filters with the same pairs, in whatever order, share one. */
export function counterIdentity(metricId: string, eventAttributes: AttributeValue[]): string {
  const pairs = eventAttributes.map((pair) => `${pair.attributeId}=${JSON.stringify(pair.attributeValue)}`);
  return [metricId, ...pairs.sort()].join('&');
}
