import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseRedisUrl } from '../../src/redis/connection/redisAddress.ts';

describe('REDIS_URL', () => {
  test.each([
    'redis://localhost:6379',
    'redis://user:secret@redis.example:6380/2?family=6',
    '/run/redis.sock',
  ])('%s is one Redis', (url) => {
    expect(parseRedisUrl(url)).toEqual({ kind: 'single', url, access: {} });
  });

  test('may ask for TLS, and name its files', () => {
    expect(parseRedisUrl('rediss://a:6380/2')).toEqual({
      kind: 'single',
      url: 'redis://a:6380/2',
      access: { tls: {} },
    });
    const file = new URL(import.meta.url).pathname;
    const tls = { ca: readFileSync(file, 'utf8') };
    expect(parseRedisUrl(`rediss://a:6380?sslrootcert=${file}`)).toMatchObject({ access: { tls } });
    expect(
      parseRedisUrl(`rediss+sentinel://a:1/main?sslrootcert=${file}&sentinel_password=p%40`),
    ).toMatchObject({
      access: { tls },
      sentinelAccess: { sentinelTLS: tls, sentinelPassword: 'p@' },
    });
  });

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
      sentinelAccess: {},
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
    ['redis://:secret@a?sslrootcert=ca.pem', 'must begin with rediss'],
  ])('%s is refused: %s', (url, message) => {
    expect(() => parseRedisUrl(url)).toThrow(message);
    expect(() => parseRedisUrl(url)).not.toThrow('secret');
  });
});
