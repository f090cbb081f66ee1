import type { EventChange } from '../../src/redis/decoding/outbox.ts';
import type { Changes } from '../../src/redis/decoding/outcome.ts';

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

/** JSON `{"<no>":"value"}` of the attributes; cleared attributes are left out. */
export function attributesJson(pairs: EventChange['attributes']): string | null {
  const values: Record<number, string> = {};
  for (let i = 0; i < pairs.length; i += 2) {
    const value = pairs[i + 1];
    if (typeof value === 'string') values[pairs[i] as number] = value;
  }
  const json = JSON.stringify(values);
  return json === '{}' ? null : json;
}
