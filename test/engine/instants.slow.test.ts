import { describe, expect, test } from 'vitest';
import { parseInstant } from '../../src/base/instant.ts';
import { computeLocalTime } from '../../src/rules/calendar.ts';
import { LocalTimes } from '../../src/rules/localTimes.ts';

describe('instants in ISO 8601', () => {
  test.each([
    ['2026-12-24T18:00:00Z', '2026-12-24T18:00:00.000Z'],
    ['2026-12-24T18:00Z', '2026-12-24T18:00:00.000Z'],
    ['2026-12-24T18:00:00.5Z', '2026-12-24T18:00:00.500Z'],
    ['2026-12-24T18:00:00.123999Z', '2026-12-24T18:00:00.123Z'],
    ['2026-12-24T01:00:00+05:30', '2026-12-23T19:30:00.000Z'],
    ['2026-12-31T23:00:00-02:00', '2027-01-01T01:00:00.000Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['2026-12-24T24:00:00Z', '2026-12-25T00:00:00.000Z'],
    ['0099-01-01T00:00:00Z', '0099-01-01T00:00:00.000Z'],
  ])('%s', (text, instant) => {
    expect(new Date(parseInstant(text)!).toISOString()).toBe(instant);
  });

  test.each([
    '2026-12-24',
    '2026-12-24T18:00:00',
    '2026-12-24 18:00:00Z',
    '2026-12-24T18:00:00z',
    '2026-02-30T18:00:00Z',
    '2027-02-29T18:00:00Z',
    '2026-13-01T18:00:00Z',
    '2026-00-01T18:00:00Z',
    '2026-12-24T24:00:01Z',
    '2026-12-24T25:00:00Z',
    '2026-12-24T18:60:00Z',
    '2026-12-24T18:00:60Z',
    '2026-12-24T18:00:00+24:00',
    '2026-12-24T18:00:00+05:60',
  ])('%s is none', (text) => {
    expect(parseInstant(text)).toBeNull();
  });
});

test.each(['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Asia/Kathmandu'])(
  'local times of %s at any instants of two years',
  (zone) => {
    const times = new LocalTimes();
    const first = Date.parse('2017-01-01T00:00:00Z');
    const hours = Array.from(
      { length: 2 * 365 * 24 },
      (_, i) => first + ((i * 7_919) % (2 * 365 * 24)) * 3_600_000,
    );
    for (const hour of hours) {
      const { fromMs, ...rest } = times.at(zone, hour);
      const { fromMs: _, ...expected } = computeLocalTime(zone, hour);
      expect(rest).toEqual(expected);
      expect(fromMs).toBeLessThanOrEqual(hour);
      expect(times.at(zone, fromMs).offsetMs).toBe(expected.offsetMs);
    }
  },
);
