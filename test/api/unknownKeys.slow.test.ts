import { expect, test } from 'vitest';
import { useServer } from '../support/useServer.ts';

const server = useServer({ config: 'demo/config.yaml' });

test.each([
  ['/v1/leaderboards/weekyl', 'Leaderboard weekyl does not exist; did you mean "weekly"?'],
  ['/v1/leaderboards/nothing-like-it', 'Leaderboard nothing-like-it does not exist'],
  ['/v1/users/ada/points/px', 'Points system px does not exist; did you mean "xp"?'],
  ['/v1/points/energi/summary', 'Points system energi does not exist; did you mean "energy"?'],
])('%s is answered with the key that was probably meant', async (path, error) => {
  await server.record('ada', 1);
  const { status, body } = await server.call('GET', path);
  expect([status, body.error]).toEqual([404, error]);
});

test('an unknown attribute is answered with the one that was probably meant', async () => {
  const event = (attributes: object) => ({ user: { id: 'ada', attributes }, value: 1 });
  const refusal = async (attributes: object) =>
    (await server.call('POST', '/v1/metrics/lessons/event', event(attributes))).body.error;
  const end = 'Please ensure all keys match the attributes set up in the configuration.';
  expect(await refusal({ citty: 'x' })).toBe(`Invalid attribute keys: citty; did you mean "city"? ${end}`);
  expect(await refusal({ town: 'x', mood: 'y' })).toBe(`Invalid attribute keys: town, mood. ${end}`);
});

test('a missing and a wrong key are refused with what to do', async () => {
  const refusal = async (key: string) =>
    (await server.call('GET', '/v1/users/ada', undefined, { 'X-API-KEY': key })).body.error;
  expect(await refusal('')).toMatch(/^The X-API-KEY header is missing: .*LAUREL_ADMIN_KEY/);
  expect(await refusal('a-key-of-another-service')).toMatch(
    /^The X-API-KEY header does not contain a valid key: .*LAUREL_ADMIN_KEY/,
  );
});
