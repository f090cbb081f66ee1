import { expect, test } from 'vitest';
import { describeReport } from '../src/admin/files/describeReport.ts';

const REPORT = {
  created: [{ kind: 'metrics' as const, key: 'lessons' }],
  updated: [
    { kind: 'achievements' as const, key: 'ten', changes: [{ field: 'value', before: 10, after: null }] },
    { kind: 'settings' as const, key: 'settings', changes: [{ field: 'controlRatio', before: 0, after: 0.1 }] },
  ],
  deleted: [{ kind: 'pointsTriggers' as const, key: 'xp.metric' }],
  version: 7,
};

test('a dry run is shown as a diff by key', () => {
  expect(describeReport(REPORT, false).split('\n')).toEqual([
    '+ metrics lessons',
    '~ achievements ten',
    '    value: 10 → null',
    '~ settings settings',
    '    controlRatio: 0 → 0.1',
    '- pointsTriggers xp.metric',
    '1 to create, 2 to update, 1 to delete',
  ]);
  expect(describeReport(REPORT, true)).toContain('\u001b[31m- pointsTriggers xp.metric\u001b[39m');
  expect(describeReport({ ...REPORT, created: [], updated: [], deleted: [] }, false)).toBe('nothing to change');
});
