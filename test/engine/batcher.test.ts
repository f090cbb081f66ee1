import { expect, test } from 'vitest';
import { Batcher } from '../../src/base/batcher.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Calls of this function resolve when the test says so. */
function useCalls(everyMs = 0) {
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
  /** Ends the call under way, once it has begun. */
  const end = async (): Promise<void> => {
    while (ends.length === 0) await turn();
    ends.shift()!();
    await turn();
  };
  return { made, end, batcher: new Batcher(make, { most: 3, everyMs, isCommon }) };
}

test('makes the calls of one turn together, and those that come meanwhile after them', async () => {
  const { made, end, batcher } = useCalls();
  const first = [batcher.call('a'), batcher.call('b')];
  await end();
  expect(await Promise.all(first)).toEqual(['A', 'B']);
  const alone = batcher.call('c');
  await turn();
  const more = ['d', 'e', 'f', 'g'].map((item) => batcher.call(item));
  for (let i = 0; i < 3; i++) await end();
  expect(await Promise.all([alone, ...more])).toEqual(['C', 'D', 'E', 'F', 'G']);
  expect(made).toEqual([['a', 'b'], ['c'], ['d', 'e', 'f'], ['g']]);
});

test('makes together the calls of the time in which it rests', async () => {
  const { made, end, batcher } = useCalls(800);
  const first = batcher.call('a');
  await end();
  await first;
  const second = batcher.call('b');
  await turn();
  const third = batcher.call('c');
  await end();
  expect(await Promise.all([second, third])).toEqual(['B', 'C']);
  expect(made).toEqual([['a'], ['b', 'c']]);
});

test('a call that fails does not make the others fail', async () => {
  const { made, end, batcher } = useCalls();
  const calls = ['a', 'bad', 'c'].map((item) => batcher.call(item));
  const results = Promise.allSettled(calls);
  for (let i = 0; i < 4; i++) await end();
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(made).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
});

test('a failure that is common to all is not tried again for each', async () => {
  const { made, end, batcher } = useCalls();
  const results = Promise.allSettled([batcher.call('a'), batcher.call('outage')]);
  await end();
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(made).toHaveLength(1);
  const next = batcher.call('b');
  await end();
  expect(await next).toBe('B');
});

/** Records the calls, and answers them when the test says so. */
function recording(most: number) {
  const calls: { questions: readonly number[]; answer(): void; fail(): void }[] = [];
  const batcher = new Batcher<number, number>(
    (questions) =>
      new Promise((resolve, reject) =>
        calls.push({
          questions,
          answer: () => resolve(questions.map((question) => question * 10)),
          fail: () => reject(new Error('no answer')),
        }),
      ),
    { most, isCommon: () => true },
  );
  return { calls, batcher };
}

test('questions of one turn share a call, and those asked meanwhile share the next one', async () => {
  const { calls, batcher } = recording(10);
  const first = [1, 2].map((question) => batcher.call(question));
  await turn();
  const second = [3, 4, 5].map((question) => batcher.call(question));
  await turn();
  expect(calls.map(({ questions }) => questions)).toEqual([[1, 2]]);
  calls[0]!.answer();
  expect(await Promise.all(first)).toEqual([10, 20]);
  expect(calls[1]!.questions).toEqual([3, 4, 5]);
  calls[1]!.answer();
  expect(await Promise.all(second)).toEqual([30, 40, 50]);
});

test('a call answers a limited number of questions', async () => {
  const { calls, batcher } = recording(2);
  const asked = [1, 2, 3].map((question) => batcher.call(question));
  await turn();
  calls[0]!.answer();
  await asked[0];
  await turn();
  calls[1]!.answer();
  expect(await Promise.all(asked)).toEqual([10, 20, 30]);
  expect(calls.map(({ questions }) => questions)).toEqual([[1, 2], [3]]);
});

test('a call that fails fails its questions, and not the later ones', async () => {
  const { calls, batcher } = recording(10);
  const first = batcher.call(1);
  await turn();
  calls[0]!.fail();
  await expect(first).rejects.toThrow('no answer');
  const second = batcher.call(2);
  await turn();
  calls[1]!.answer();
  expect(await second).toBe(20);
});
