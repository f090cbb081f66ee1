import { describe, expect, test } from 'vitest';
import { readEnv, unknownVariables } from '../src/base/env.ts';

describe('switches', () => {
  test.each(['LAUREL_WEBHOOK_ALLOW_PRIVATE', 'LAUREL_TRUST_PROXY', 'LAUREL_ALLOW_UNSAFE_REDIS'])(
    '%s is on with 1, off with 0 or nothing, and refused with anything else',
    (name) => {
      const switches = (text?: string) => {
        const { webhookAllowPrivate, trustProxy, allowUnsafeRedis } = readEnv({ [name]: text });
        return [webhookAllowPrivate, trustProxy, allowUnsafeRedis].filter(Boolean).length;
      };
      expect([switches('1'), switches('0'), switches(''), switches()]).toEqual([1, 0, 0, 0]);
      for (const text of ['true', 'false', 'yes', '2']) {
        expect(() => switches(text)).toThrow(`${name} must be 1 (on) or 0 (off), not "${text}"`);
      }
    },
  );
});

describe('unknown variables', () => {
  test('are named, with the variable that was probably meant', () => {
    expect(
      unknownVariables({ LAUREL_CELL: '64', LAUREL_PORTO_RICO: '1', LAUREL_CELLS: '64', PORTO: '1' }),
    ).toEqual([
      'LAUREL_CELL is not a variable of laurel; did you mean "LAUREL_CELLS"?',
      'LAUREL_PORTO_RICO is not a variable of laurel',
    ]);
  });

  test('do not include variables of clients, tests and Kubernetes', () => {
    const others = [
      'KEY',
      'TEST_REDIS_URL',
      'PORT',
      'SERVICE_HOST',
      'SERVER_SERVICE_PORT_HTTP',
      'SERVER_PORT_80_TCP_ADDR',
    ];
    expect(unknownVariables(Object.fromEntries(others.map((name) => [`LAUREL_${name}`, 'x'])))).toEqual([]);
  });
});
