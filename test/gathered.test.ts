import { expect, test } from 'vitest';
import { Gathered } from '../src/base/gathered.ts';

/** Calls of this function resolve when the test says so. */
function useCalls() {
  const made: string[][] = [];
  const ends: (() => void)[] = [];
  const make = async (items: readonly string[]): Promise<string[]> => {
    made.push([...items]);
    await new Promise<void>((resolve) => ends.push(resolve));
    if (items.includes('bad')) throw new Error('bad');
    if (items.includes('outage')) throw new Error('outage');
    return items.map((item) => item.toUpperCase());
  };
  const isCommon = (error: unknown): boolean => (error as Error).message === 'outage';
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  /** Ends the call under way, once it has begun. */
  const end = async (): Promise<void> => {
    while (ends.length === 0) await turn();
    ends.shift()!();
    await turn();
  };
  return { made, end, gathered: new Gathered(make, { most: 3, isCommon }) };
}

test('makes the calls of one turn together, and those that come meanwhile after them', async () => {
  const { made, end, gathered } = useCalls();
  const first = [gathered.call('a'), gathered.call('b')];
  await end();
  expect(await Promise.all(first)).toEqual(['A', 'B']);
  const alone = gathered.call('c');
  await new Promise((resolve) => setImmediate(resolve));
  const more = ['d', 'e', 'f', 'g'].map((item) => gathered.call(item));
  for (let i = 0; i < 3; i++) await end();
  expect(await Promise.all([alone, ...more])).toEqual(['C', 'D', 'E', 'F', 'G']);
  expect(made).toEqual([['a', 'b'], ['c'], ['d', 'e', 'f'], ['g']]);
});

test('a call that fails does not make the others fail', async () => {
  const { made, end, gathered } = useCalls();
  const calls = ['a', 'bad', 'c'].map((item) => gathered.call(item));
  const results = Promise.allSettled(calls);
  for (let i = 0; i < 4; i++) await end();
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(made).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
});

test('a failure that is common to all is not tried again for each', async () => {
  const { made, end, gathered } = useCalls();
  const results = Promise.allSettled([gathered.call('a'), gathered.call('outage')]);
  await end();
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(made).toHaveLength(1);
  const next = gathered.call('b');
  await end();
  expect(await next).toBe('B');
});
