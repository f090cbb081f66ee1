import { expect, test } from 'vitest';
import { gapsOf, medianOf } from '../../src/rules/rankGaps.ts';

const ranking = (...places: [rank: number, value: number][]) =>
  places.map(([rank, value]) => ({ rank, value }));

test('a gap is the difference to the value of the next better rank', () => {
  expect(gapsOf(ranking([1, 9], [2, 7], [3, 7], [4, 2]))).toEqual([2, 0, 5]);
  expect(gapsOf(ranking([1, 2], [2, 5.5]))).toEqual([3.5]);
  expect(gapsOf(ranking([1, 0.3], [2, 0.1]))).toEqual([0.2]);
  expect(gapsOf(ranking([1, 5.1], [2, 5]))).toEqual([0.1]);
});

test('users who share a rank have the same gap, and those at the best rank have none', () => {
  expect(gapsOf(ranking([1, 9], [1, 9], [3, 7], [3, 7], [5, 4]))).toEqual([2, 2, 3]);
  expect(gapsOf(ranking([1, 9], [1, 9]))).toEqual([]);
});

test('the median is the mean of the two values in the middle', () => {
  expect([[], [3], [4, 1], [9, 1, 4]].map(medianOf)).toEqual([null, 3, 2.5, 4]);
});
