import { describe, expect, test } from 'vitest';
import { parseRedisUrl } from '../src/redis/address.ts';

describe('REDIS_URL', () => {
  test.each(['redis://localhost:6379', 'rediss://user:secret@redis.example:6380/2', '/run/redis.sock'])(
    '%s is one Redis',
    (url) => {
      expect(parseRedisUrl(url)).toEqual({ kind: 'single', url });
    },
  );

  test('may list the nodes of a cluster', () => {
    expect(parseRedisUrl('redis+cluster://a:7000,[::1]:7001')).toEqual({
      kind: 'cluster',
      nodes: [
        { host: 'a', port: 7000 },
        { host: '::1', port: 7001 },
      ],
      access: {},
    });
    expect(parseRedisUrl('rediss+cluster://laurel:p%40ss@a:7000')).toMatchObject({
      access: { username: 'laurel', password: 'p@ss', tls: {} },
    });
  });

  test('may list Sentinels and name the primary', () => {
    expect(parseRedisUrl('redis+sentinel://:secret@a:26379,b:26379/main')).toEqual({
      kind: 'sentinel',
      sentinels: [
        { host: 'a', port: 26_379 },
        { host: 'b', port: 26_379 },
      ],
      name: 'main',
      access: { password: 'secret' },
    });
  });

  test.each([
    ['redis+cluster://', 'must be like'],
    ['redis+cluster://a', 'must list hosts as host:port, not "a"'],
    ['redis+cluster://a:70000', 'must list hosts as host:port'],
    ['redis+cluster://a:7000/1', 'a cluster has no databases'],
    ['redis+sentinel://a:26379', 'must end with the name of the primary'],
    ['redis+cluster://secret@a:7000', 'user:password@'],
    ['redis+nothing://a:7000', 'must be like'],
  ])('%s is refused: %s', (url, message) => {
    expect(() => parseRedisUrl(url)).toThrow(message);
    expect(() => parseRedisUrl(url)).not.toThrow('secret');
  });
});
