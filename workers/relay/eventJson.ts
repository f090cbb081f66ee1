import type { EventChange } from '../../src/redis/decoding/outbox.ts';
import type { Changes } from '../../src/redis/decoding/outcome.ts';
import { keptFacts, type ReportedFacts } from '../../src/rules/conditions/facts.ts';

/** Awards are numbered by their order, across the systems of a change, as in the response to the event. */
export function awardsJson(points: Changes['points']): string | null {
  let json = '';
  for (const { system, awards } of points) {
    for (const { trigger, awarded, total, boosts } of awards) {
      const own = boosts.length === 0 ? '' : `,[${boosts.join(',')}]`;
      json += `${json === '' ? '[' : ','}[${system},${trigger},${awarded},${total}${own}]`;
    }
  }
  return json === '' ? null : `${json}]`;
}

/**
 * JSON `{"<no>":"value"}` of the attributes and the facts of an event. Cleared attributes are left out; a
 * fact that is missing is null (src/rules/conditions/facts.ts).
 */
export function attributesJson(pairs: EventChange['attributes'], facts?: ReportedFacts): string | null {
  const values: Record<string, string | null> = {};
  const all = facts === undefined ? pairs : [...pairs, ...keptFacts(facts)];
  for (let i = 0; i < all.length; i += 2) {
    const [key, value] = [all[i] as string | number, all[i + 1]];
    if (typeof value === 'string') values[key] = value;
    else if (typeof key === 'string') values[key] = null;
  }
  const json = JSON.stringify(values);
  return json === '{}' ? null : json;
}
