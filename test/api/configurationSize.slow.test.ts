import { expect, test } from 'vitest';
import { useServer } from '../support/useServer.ts';

const { admin } = useServer();

test('a configuration of any size is checked item by item', async () => {
  const chain = Array.from({ length: 900 }, (_, i) => ({
    key: `chain-${i}`,
    name: 'Link',
    ...(i === 0 ? { trigger: 'api' } : { trigger: 'achievement', achievements: [`chain-${i - 1}`] }),
  }));
  expect((await admin('PUT', '/config', { achievements: chain })).status).toBe(200);
  const metrics = Array.from({ length: 100 }, (_, i) => ({
    key: i === 50 ? 'a b' : `sized-${i}`,
    name: 'Sized',
  }));
  const { body } = await admin('POST', '/metrics', metrics);
  expect([body.created.length, body.issues.length]).toEqual([99, 1]);
});
