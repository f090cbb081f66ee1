import { expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/db/postgresAddress.ts';

test.each([
  ['postgres://u:p@a/laurel', { url: 'postgres://u:p@a/laurel', hosts: null, isPooled: false }],
  ['/var/run/postgresql laurel', { url: '/var/run/postgresql laurel', hosts: null, isPooled: false }],
  [
    'postgresql://u@localhost:5432/laurel?host=%2Frun&sslmode=disable',
    { url: 'postgresql://u@localhost:5432/laurel?host=%2Frun&sslmode=disable', hosts: null, isPooled: false },
  ],
  [
    'postgres://u:p%40,x@a,b:6432,[::1]:7/laurel?sslmode=verify-full&target_session_attrs=read-write',
    {
      url: 'postgres://u:p%40,x@a/laurel?sslmode=verify-full',
      hosts: [
        { host: 'a', port: 5432 },
        { host: 'b', port: 6432 },
        { host: '::1', port: 7 },
      ],
      isPooled: false,
    },
  ],
  [
    'postgres://a/laurel?target_session_attrs=primary',
    { url: 'postgres://a/laurel', hosts: [{ host: 'a', port: 5432 }], isPooled: false },
  ],
  ['postgres://a/laurel?pgbouncer=true', { url: 'postgres://a/laurel', hosts: null, isPooled: true }],
])('%s is understood', (url, address) => {
  expect(parseDatabaseUrl(url)).toEqual(address);
});

test.each([
  ['postgres://u:secret@a/laurel?target_session_attrs=any', 'target_session_attrs in DATABASE_URL must be'],
  ['postgres://u:secret@a,b:99999/laurel', 'must list hosts as host:port, not "b:99999"'],
  ['postgres://u:secret@a,/laurel', 'must list hosts as host:port, not ""'],
  [`postgres://u:secret@${'a,'.repeat(16)}a/laurel`, 'more than 16 hosts'],
  ['postgres://u:secret@a/laurel?pgbouncer=1', 'pgbouncer in DATABASE_URL must be true or false'],
])('%s is refused, without its password', (url, message) => {
  expect(() => parseDatabaseUrl(url)).toThrow(message);
  expect(() => parseDatabaseUrl(url)).not.toThrow('secret');
});
