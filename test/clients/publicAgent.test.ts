import type { lookup } from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postWebhook } from '../../src/notifications/webhooks/postWebhook.ts';
import { createPublicAgent, isPublicAddress } from '../../src/notifications/webhooks/publicAgent.ts';

describe('addresses of the public internet', () => {
  const cases: [boolean, string[]][] = [
    [true, ['93.184.216.34', '8.8.8.8', '2606:4700:4700::1111', '::ffff:8.8.8.8']],
    [
      false,
      ['10.0.0.1', '172.16.0.1', '192.168.1.1', '127.0.0.1', '127.1.2.3', '0.0.0.0', '169.254.169.254'],
    ],
    [false, ['100.64.0.1', '224.0.0.1', '255.255.255.255', '198.18.0.1', '192.0.2.1']],
    [
      false,
      [
        '::1',
        '::',
        'fe80::1',
        'fd00:ec2::254',
        'ff02::1',
        '::ffff:10.0.0.1',
        '64:ff9b::a00:1',
        '2002:a00:1::',
      ],
    ],
    [false, ['::7f00:1', '::10.0.0.1', '64:ff9b:1::a00:1', 'fec0::1', '4000::1', 'fe80::1%eth0']],
    [false, ['not an address', '']],
  ];
  test.each(cases.flatMap(([isPublic, addresses]) => addresses.map((address) => [address, isPublic])))(
    '%s: %s',
    (address, isPublic) => expect(isPublicAddress(address as string)).toBe(isPublic),
  );
});

/** 127.0.0.2 stands for the public internet: a server there redirects to one on 127.0.0.1. */
describe('what a guarded agent connects to', () => {
  const PUBLIC = '127.0.0.2';
  const names: Record<string, string[]> = {
    'public.example': [PUBLIC],
    'private.example': ['10.0.0.1'],
    'both.example': ['10.0.0.1', PUBLIC],
  };
  const resolve = ((
    name: string,
    _options: object,
    callback: (error: Error | null, found?: object[]) => void,
  ) => {
    const found = names[name];
    if (found === undefined) callback(new Error('ENOTFOUND'));
    else
      callback(
        null,
        found.map((address) => ({ address, family: 4 })),
      );
  }) as unknown as typeof lookup;
  const agent = createPublicAgent({
    mayConnect: (address) => address === PUBLIC || isPublicAddress(address),
    resolve,
  });
  const servers: Server[] = [];
  const requests: string[] = [];
  let publicPort: number;
  let privatePort: number;

  async function listen(host: string): Promise<number> {
    const server = createServer((req, res) => {
      requests.push(`${host}${req.url}`);
      const [, action, target] = /^\/(redirect)\?(.*)$/.exec(req.url!) ?? [];
      if (action) res.writeHead(307, { location: decodeURIComponent(target!) });
      res.end('ok');
    });
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, host, done));
    return (server.address() as AddressInfo).port;
  }
  beforeAll(async () => {
    publicPort = await listen(PUBLIC);
    privatePort = await listen('127.0.0.1');
  });
  afterAll(async () => {
    await agent.close();
    for (const server of servers) server.close();
  });
  const post = (url: string) => postWebhook(agent, url, {}, '{}', new AbortController().signal);

  test('public addresses, by name and by redirect', async () => {
    const redirected = `http://public.example:${publicPort}/redirect?${encodeURIComponent(`http://both.example:${publicPort}/end`)}`;
    expect(await post(redirected)).toMatchObject({ error: null, response: { status: 200, body: 'ok' } });
    expect(requests).toContain(`${PUBLIC}/end`);
  });

  test.each([
    ['a literal address', () => `http://127.0.0.1:${privatePort}/`, '127.0.0.1 is not a public address'],
    ['a number', () => `http://2130706433:${privatePort}/`, '127.0.0.1 is not a public address'],
    ['IPv6', () => `http://[::1]:${privatePort}/`, '::1 is not a public address'],
    [
      'the metadata service',
      () => 'http://169.254.169.254/latest',
      '169.254.169.254 is not a public address',
    ],
    ['a name', () => 'http://private.example/', 'private.example does not resolve to a public address'],
    [
      'an unknown name',
      () => 'http://unknown.example/',
      'unknown.example does not resolve to a public address',
    ],
    [
      'a redirect',
      () =>
        `http://${PUBLIC}:${publicPort}/redirect?${encodeURIComponent(`http://127.0.0.1:${privatePort}/`)}`,
      '127.0.0.1 is not a public address',
    ],
    [
      'too many redirects',
      () =>
        `http://${PUBLIC}:${publicPort}/redirect?${encodeURIComponent('/redirect?%2Fredirect%3F%252Fredirect%253F%25252Fredirect%25253F')}`,
      'more than 3 redirects',
    ],
  ])('not by %s', async (_what, url, error) => {
    const before = requests.filter((request) => request.startsWith('127.0.0.1')).length;
    expect(await post(url())).toMatchObject({ response: null, error });
    expect(requests.filter((request) => request.startsWith('127.0.0.1'))).toHaveLength(before);
  });
});
