import { expect, test } from 'vitest';
import { describeReport } from '../../src/admin/files/describeReport.ts';

const REPORT = {
  created: [{ kind: 'metrics' as const, key: 'lessons' }],
  updated: [
    { kind: 'achievements' as const, key: 'ten', changes: [{ field: 'value', before: 10, after: null }] },
    {
      kind: 'settings' as const,
      key: 'settings',
      changes: [{ field: 'controlRatio', before: 0, after: 0.1 }],
    },
  ],
  deleted: [{ kind: 'pointsTriggers' as const, key: 'xp.metric' }],
  version: 7,
};

test('a dry run is shown as a diff by key', () => {
  expect(describeReport(REPORT, { isDryRun: true, hasColors: false }).split('\n')).toEqual([
    '+ metrics lessons',
    '~ achievements ten',
    '    value: 10 → null',
    '~ settings settings',
    '    controlRatio: 0 → 0.1',
    '- pointsTriggers xp.metric',
    '1 to create, 2 to update, 1 to delete',
  ]);
  expect(describeReport(REPORT, { isDryRun: true, hasColors: true })).toContain(
    '\u001b[31m- pointsTriggers xp.metric\u001b[39m',
  );
  const nothing = { ...REPORT, created: [], updated: [], deleted: [] };
  expect(describeReport(nothing, { isDryRun: true, hasColors: false })).toBe('nothing to change');
});

test('what was applied is shown in the same shape, with the version', () => {
  const dryRun = describeReport(REPORT, { isDryRun: true, hasColors: false }).split('\n');
  const applied = describeReport(REPORT, { isDryRun: false, hasColors: false }).split('\n');
  expect(applied.slice(0, -1)).toEqual(dryRun.slice(0, -1));
  expect(applied.at(-1)).toBe('1 created, 2 updated, 1 deleted; version 7');
});
